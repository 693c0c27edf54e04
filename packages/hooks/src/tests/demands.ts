import { codeOf } from '../policy/code-of.ts'
import { withoutAlternatives } from './alternatives.ts'
import { findAssertions, type Assertion, type Grade } from './assertions.ts'
import { matchBrackets } from './brackets.ts'
import { findChoices } from './choices.ts'
import { countRuns, findFunctions } from './functions.ts'
import { languageOf } from './language.ts'
import { findRepetitions } from './repetitions.ts'
import { reachable } from './reachable.ts'
import { findScopes } from './scopes.ts'

interface Demand extends Readonly<Record<Grade, number>> {
  /** The loose ones that look for an error in a callback. */
  readonly noErrors: number
  readonly awaited: number
}

/**
 * The demands of a text, counted in several ways: a helper counts once, or each time it is called; a comparison counts once, or
 * for each value. Unreachable code demands nothing.
 */
type Views = readonly Demand[]

/** Reports whether a test file demands less than before by every count. Moved or stricter text is not weaker. */
export function isWeaker(before: string, after: string, path: string): boolean {
  const [was, is] = [readTests(before, path), readTests(after, path)]
  const now = viewsOf(is)
  const isMore = (view: Demand, index: number) => demandsMore(view, now[index] ?? nothing)
  if (!viewsOf(was).every(isMore)) return false
  const found = withoutAlternatives(withChoices(was), withChoices(is))
  // Branches that never ran together are left out here, so no other loss may remain by any count.
  return found === undefined || viewsOf({ ...was, found }).some(isMore)
}

function withChoices(tests: Tests) {
  const { code, language, partners, found } = tests
  return { found: found.filter(({ isEmpty }) => !isEmpty), choices: findChoices(code, language, partners) }
}

const nothing: Demand = { strict: 0, bounded: 0, loose: 0, noErrors: 0, awaited: 0 }

/** A stricter assertion may replace a looser one, never the reverse. */
function demandsMore(before: Demand, after: Demand): boolean {
  const firm = ({ strict, bounded }: Demand) => 4 * strict + 2 * bounded
  return (
    before.strict > after.strict ||
    firm(before) > firm(after) ||
    firm(before) + before.loose > firm(after) + after.loose + nowAwaited(before, after)
  )
}

/** An awaited promise fails the test where a callback had to check its error. */
function nowAwaited(before: Demand, after: Demand): number {
  return after.awaited > before.awaited ? Math.max(0, before.noErrors - after.noErrors) : 0
}

/** How often an assertion counts, and for how many values. */
type Weigh = (assertion: Assertion, times: number) => number

const weights: readonly Weigh[] = [
  () => 1,
  (_, times) => times,
  ({ values }) => values,
  ({ values }, times) => values * times,
]

function viewsOf({ text, path, code, language, partners, functions, starts, found }: Tests): Views {
  const repetitions = findRepetitions(code, { language, partners, functions })
  const scopes = findScopes(code, { language, partners, functions })
  const runsAt = countRuns(code, { functions, repetitions, scopes, hasTests: starts.length > 0 })
  const real = found.filter(({ isEmpty }) => !isEmpty)
  const all = [...real, ...testsWithout(starts, real), ...expectedTypeErrors(text, path)].map(
    (assertion) => ({
      assertion,
      times: runsAt(assertion.at),
    }),
  )
  const awaited = code.match(/\bawait\b/g)?.length ?? 0
  return weights.map((weigh) => {
    const sums = { strict: 0, bounded: 0, loose: 0, noErrors: 0, awaited }
    for (const { assertion, times } of all) {
      const weight = times > 0 ? weigh(assertion, times) : 0
      sums[assertion.grade] += weight
      if (assertion.isNoError) sums.noErrors += weight
    }
    return sums
  })
}

const testStart =
  /^[ \t]*(?:await[ \t]+)?(?:\w+\.)?(?:it|test|specify)(?:\.\w+)*\s*\(|^[ \t]*(?:async\s+)?def test|^func Test|#\[(?:tokio::)?test\]|@Test\b/gm

type Tests = ReturnType<typeof readTests>

function readTests(text: string, path: string) {
  const language = languageOf(path)
  const code = reachable(codeOf(text, path), language)
  const partners = matchBrackets(code)
  const functions = findFunctions(code, language, partners)
  const ownNames = new Set(functions.map(({ name }) => name))
  const found = findAssertions(code, { path, language, partners, ownNames })
  const starts = [...code.matchAll(testStart)].map(({ index }) => index)
  return { text, path, code, language, partners, functions, starts, found }
}

/** Tests that only contain assertions about literals. */
export function hasMoreEmptyTests(before: string, after: string, path: string): boolean {
  return countEmpty(after, path) > countEmpty(before, path)
}

function countEmpty(text: string, path: string): number {
  const { starts, found } = readTests(text, path)
  const parts = [0, ...starts].map((start, index) =>
    found.filter(({ at }) => at >= start && at < (starts[index] ?? Infinity)),
  )
  return parts.filter((part) => part.length > 0 && part.every(({ isEmpty }) => isEmpty)).length
}

/** A test without assertions still demands that nothing is thrown. */
function testsWithout(starts: readonly number[], found: readonly Assertion[]): Assertion[] {
  return starts
    .filter((start, index) => {
      const end = starts[index + 1] ?? Infinity
      return !found.some(({ at }) => at >= start && at < end)
    })
    .map((at) => ({ at, grade: 'loose', values: 1 }))
}

/** Files that only the type checker runs. */
const typeTests = /[.-]test-d\.[cm]?tsx?$|\.tst\.[cm]?tsx?$|\.types?[.-](?:test|spec)\.[cm]?tsx?$/i

/** In type tests this comment is an assertion: without a type error the check fails. */
function expectedTypeErrors(text: string, path: string): Assertion[] {
  if (!typeTests.test(path)) return []
  return (text.match(/@ts-expect-error\b/g) ?? []).map(() => ({ at: 0, grade: 'bounded', values: 1 }))
}
