import type { Agent } from './agents/agent.ts'
import type { Run } from './run-scenario.ts'
import type { Scenario } from './scenarios.ts'

/** The result of one agent in one scenario. */
export type Verdict = { readonly agent: Agent; readonly scenario: Scenario } & (
  | { readonly kind: 'ran'; readonly run: Run }
  /** The agent lacks something that the scenario needs. */
  | { readonly kind: 'limit'; readonly why: string }
  /** The agent could not be installed. */
  | { readonly kind: 'skipped'; readonly why: string }
)

export function limitOf({ limits }: Agent, { needs }: Scenario): string | undefined {
  return needs.map((need) => limits[need]).find((why) => why !== undefined)
}

export function hasFailed(verdict: Verdict): boolean {
  return verdict.kind === 'ran' && verdict.run.problems.length > 0
}

export function countVerdicts(verdicts: readonly Verdict[]) {
  const count = (isIt: (verdict: Verdict) => boolean) => verdicts.filter(isIt).length
  const failed = count(hasFailed)
  return {
    passed: count(({ kind }) => kind === 'ran') - failed,
    failed,
    skipped: count(({ kind }) => kind === 'skipped'),
    limits: count(({ kind }) => kind === 'limit'),
  }
}

export function printVerdict(verdict: Verdict): string {
  const what = `${verdict.agent.name.padEnd(9)} ${verdict.scenario.name.padEnd(16)}`
  if (verdict.kind !== 'ran') return `${what} ${verdict.kind}: ${verdict.why}\n`
  const { problems, seconds, addedMs } = verdict.run
  const added = addedMs === undefined ? '' : `, the hook adds ${addedMs} ms to a call`
  const head = `${what} ${problems.length === 0 ? 'pass' : 'FAIL'} (${seconds.toFixed(1)} s${added})\n`
  return head + problems.map((problem) => `    ${problem.replaceAll('\n', '\n    ')}\n`).join('')
}
