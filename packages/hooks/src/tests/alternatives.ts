import type { Assertion } from './assertions.ts'
import type { Choice, Range } from './choices.ts'

interface Chosen {
  readonly found: readonly Assertion[]
  readonly choices: readonly Choice[] | undefined
}

/**
 * Returns the assertions of a text with those of one branch alone for each removed `if` with an `else`, because no run reached
 * both. Undefined if no such choice was removed, or if the new text asserts under a new condition: then it is unknown which
 * assertions replaced which.
 */
export function withoutAlternatives(before: Chosen, after: Chosen): Assertion[] | undefined {
  if (!before.choices || !after.choices) return undefined
  const found = [...before.found].sort((a, b) => a.at - b.at)
  const were = groupByCondition(before.choices, found)
  const are = groupByCondition(
    after.choices,
    [...after.found].sort((a, b) => a.at - b.at),
  )
  for (const [condition, choices] of are)
    if (choices.length > (were.get(condition)?.length ?? 0)) return undefined
  const gone = new Set<Choice>()
  for (const [condition, choices] of were) {
    const count = choices.length - (are.get(condition)?.length ?? 0)
    // Among several with the same condition, those that demand the least.
    for (const { choice } of choices.sort((a, b) => a.weight - b.weight).slice(0, count))
      if (choice.otherwise) gone.add(choice)
  }
  if (gone.size === 0) return undefined
  const left = new Set(found)
  for (const { met, otherwise } of before.choices.filter((choice) => gone.has(choice))) {
    const branches = [met, otherwise ?? met].map((range) =>
      assertionsIn(found, range).filter((assertion) => left.has(assertion)),
    )
    const [less = []] = branches.sort((a, b) => weightOf(a) - weightOf(b))
    for (const assertion of less) left.delete(assertion)
  }
  return [...left]
}

interface Weighed {
  readonly choice: Choice
  readonly weight: number
}

/** The choices that contain assertions; one with an `else` never equals one without. */
function groupByCondition(choices: readonly Choice[], found: readonly Assertion[]): Map<string, Weighed[]> {
  const groups = new Map<string, Weighed[]>()
  for (const choice of choices) {
    const { condition, met, otherwise } = choice
    const weights = [met, otherwise ?? met].map((range) => weightOf(assertionsIn(found, range)))
    if (Math.max(...weights) === 0) continue
    const key = `${otherwise ? 'else' : 'alone'} ${condition}`
    const same = groups.get(key) ?? []
    groups.set(key, same)
    same.push({ choice, weight: Math.min(...weights) })
  }
  return groups
}

const weightOfGrade = { strict: 4, bounded: 2, loose: 1 }

function weightOf(assertions: readonly Assertion[]): number {
  return assertions.reduce((sum, { grade, values }) => sum + weightOfGrade[grade] * values, 0)
}

function assertionsIn(sorted: readonly Assertion[], [start, end]: Range): readonly Assertion[] {
  return sorted.slice(firstFrom(sorted, start), firstFrom(sorted, end))
}

function firstFrom(sorted: readonly Assertion[], at: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
