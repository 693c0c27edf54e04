import { testNames } from '../../../packages/hooks/src/tests/conditional-skips.ts'
import { isTest, rulesAgainst } from './judge-commit.ts'
import { readCommits, type CommitRange, type CommittedChange } from './read-commits.ts'

export interface HeldChange {
  readonly change: CommittedChange
  readonly rules: readonly string[]
  /** The commit has fewer tests in this file than before, or skips some: only a reviewer can judge that. */
  readonly losesTests: boolean
}

export interface Measured {
  /** The number of pairs of a commit and a changed test file. */
  readonly pairs: number
  readonly held: readonly HeldChange[]
}

/** Measures what the rules about tests would have blocked in commits that changed tests. */
export function measureCommits(folder: string, range: Omit<CommitRange, 'isWanted'>): Measured {
  const changes = readCommits(folder, { ...range, isWanted: isTest })
  const held = changes.flatMap((change) => {
    const rules = rulesAgainst(change)
    return rules.length === 0 ? [] : [{ change, rules, losesTests: losesTests(change, rules) }]
  })
  return { pairs: changes.length, held }
}

function losesTests({ before, after }: CommittedChange, rules: readonly string[]): boolean {
  if (after.kind !== 'text' || rules.includes('TEST_SKIPPED')) return true
  return before.kind === 'text' && testNames(after.text).length < testNames(before.text).length
}

/** One line for a person, with the rate of blocked changes that lost no test. */
export function printMeasured(name: string, { pairs, held }: Measured): { line: string; rate: number } {
  const alarms = held.filter(({ losesTests: isLoss }) => !isLoss).length
  const rate = pairs === 0 ? 0 : alarms / pairs
  const percent = (part: number) => `${((100 * part) / Math.max(1, pairs)).toFixed(1)} %`
  const line =
    `${name}: ${pairs} test files in commits, ${held.length} held (${percent(held.length)}): ` +
    `${held.length - alarms} lose or skip tests, ${alarms} others (${percent(alarms)})`
  return { line, rate }
}
