import { enforcementOf, type Asker, type EnforcementEvent, type Finding } from '@pml/hooks'
import { recordEvents } from '../db/record-event.ts'
import type { Actor } from '../keys/actor.ts'
import { describeHookEvent } from './describe-hook-event.ts'
import type { Hooks } from './hooks.ts'

export interface Told {
  readonly asker: Asker
  readonly findings: readonly Finding[]
  readonly action: Extract<EnforcementEvent['action'], 'blocked' | 'allowed'>
  /** In place of what the rule has against it. */
  readonly reason?: string
}

/** A row of the audit log for each rule and what it was about. */
export async function tellFindings(
  { approvals: { db }, now }: Hooks,
  actor: Actor,
  { asker, findings, action, reason }: Told,
): Promise<void> {
  const at = now().toISOString()
  const rowOf = (finding: Finding) => {
    const done = finding.isCorrection && action === 'blocked' ? 'corrected' : action
    const told = enforcementOf(asker, { action: done, finding, at, reason })
    return { actor: actor.id, ...describeHookEvent(told) }
  }
  const rows = new Map(findings.map((finding) => [`${finding.rule} ${finding.subject}`, rowOf(finding)]))
  await recordEvents(db.sql, [...rows.values()])
}
