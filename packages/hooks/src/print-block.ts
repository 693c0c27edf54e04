import type { Finding } from './finding.ts'

interface Blocked {
  readonly findings: readonly [Finding, ...Finding[]]
  /** Where what would have been written is kept. */
  readonly saved?: string
  /** In place of what the rule says to do. */
  readonly action?: string
  /** More sentences, such as what a reviewer taught. */
  readonly notes?: readonly string[]
}

/** Lines that programs read, then sentences that an agent acts on. */
export function printBlock({ findings, saved, action, notes = [] }: Blocked): string {
  const [first, ...others] = findings
  const sentences = [
    `${first.reason}.`,
    ...others
      .filter(({ reason }) => reason !== first.reason)
      .map(({ rule, reason }) => `Also ${rule}: ${reason}.`),
    ...notes,
    first.suggestion,
  ]
  return [
    `BLOCKED::${first.rule}`,
    ...(saved === undefined ? [] : [`SAVED::${saved}`]),
    `ACTION::${action ?? first.action}`,
    '',
    ...sentences.filter((sentence) => sentence !== ''),
    '',
  ].join('\n')
}
