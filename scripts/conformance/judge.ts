/** One check of the suite in a scenario. */
export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

export interface ScenarioRun {
  readonly revision: string
  readonly scenario: string
  readonly checks: readonly Check[]
}

/** An expected failure, with the reason. With `checks`, only these checks of the scenario; the others must pass. */
export interface Exception {
  readonly reason: string
  readonly scenarios: readonly string[]
  readonly checks?: readonly string[]
  /** The scenario passes only because there is nothing to test. */
  readonly passesAnyway?: boolean
}

export type Outcome = 'pass' | 'not applicable' | 'fail'

export interface Verdict {
  readonly revision: string
  readonly scenario: string
  readonly outcome: Outcome
  readonly why: string
}

/** A pass must be without warnings, because most warnings mean that there was nothing to test. */
export function judge(runs: readonly ScenarioRun[], exceptions: readonly Exception[]): Verdict[] {
  return [...runs.map((run) => judgeRun(run, exceptions)), ...unknownIn(exceptions, runs)]
}

function judgeRun({ revision, scenario, checks }: ScenarioRun, exceptions: readonly Exception[]): Verdict {
  const verdict = (outcome: Outcome, why = ''): Verdict => ({ revision, scenario, outcome, why })
  const exception = exceptions.find(({ scenarios }) => scenarios.includes(scenario))
  const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const excused = wrong.filter(({ id }) => mayFail(id, exception))
  const guilty = wrong.filter((check) => !excused.includes(check))
  if (guilty.length > 0) return verdict('fail', guilty.map(print).join('; '))
  const isProved = checks.some(({ id, status }) => status === 'SUCCESS' && !isOfWire(id))
  if (!exception) return isProved ? verdict('pass') : verdict('fail', 'nothing was tested')
  if (exception.passesAnyway && excused.length > 0) return verdict('fail', excused.map(print).join('; '))
  const passed = findPassed(exception, { isProved, excused })
  if (passed !== undefined)
    return verdict('fail', `${passed} passes, though listed as not applicable: take it off the list`)
  return exception.checks && isProved
    ? verdict('pass', `but for ${exception.checks.length} checks: ${exception.reason}`)
    : verdict('not applicable', exception.reason)
}

function mayFail(check: string, exception: Exception | undefined): boolean {
  return exception !== undefined && !isOfWire(check) && (exception.checks?.includes(check) ?? true)
}

/** Messages must be well formed even if the request is refused. */
function isOfWire(check: string): boolean {
  return check.startsWith('wire-schema-')
}

function findPassed(
  { checks, passesAnyway }: Exception,
  { isProved, excused }: { isProved: boolean; excused: readonly Check[] },
): string | undefined {
  if (passesAnyway) return undefined
  if (!checks) return isProved && excused.length === 0 ? 'it' : undefined
  return checks.find((id) => !excused.some((check) => check.id === id))
}

function unknownIn(exceptions: readonly Exception[], runs: readonly ScenarioRun[]): Verdict[] {
  const ran = new Set(runs.map(({ scenario }) => scenario))
  return exceptions
    .flatMap(({ scenarios }) => scenarios.filter((scenario) => !ran.has(scenario)))
    .map((scenario) => ({
      revision: 'none',
      scenario,
      outcome: 'fail',
      why: 'it is listed as not applicable, but the suite does not have it',
    }))
}

function print({ id, status, errorMessage }: Check): string {
  return `${id}: ${errorMessage ?? status.toLowerCase()}`
}
