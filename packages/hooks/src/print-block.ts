import type { Finding } from './finding.ts'

interface Blocked {
  readonly findings: readonly [Finding, ...Finding[]]
  /** Where the blocked content is saved. */
  readonly saved?: string
  /** Replaces the rule's action. */
  readonly action?: string
  /** More sentences, such as a reviewer's notes. */
  readonly notes?: readonly string[]
}

/** Machine-readable lines, then sentences for the agent. */
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
