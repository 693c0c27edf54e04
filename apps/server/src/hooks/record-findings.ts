import { enforcementOf, type Asker, type EnforcementEvent, type Finding } from '@pml/hooks'
import { recordEvents, type Event } from '../db/record-event.ts'
import type { Actor } from '../keys/actor.ts'
import { describeHookEvent } from './describe-hook-event.ts'
import type { Hooks } from './hooks.ts'

interface Told {
  readonly asker: Asker
  readonly findings: readonly Finding[]
  readonly action: Extract<EnforcementEvent['action'], 'blocked' | 'allowed'>
  /** In place of what the rule has against it. */
  readonly reason?: string
}

/** A row of the audit log for each rule and what it was about. */
export async function tellFindings(hooks: Hooks, actor: Actor, told: Told): Promise<void> {
  const rows = eventsOf(hooks, told).map((event) => ({ actor: actor.id, ...event }))
  await recordEvents(hooks.approvals.db.sql, rows)
}

export function eventsOf(
  { now }: Pick<Hooks, 'now'>,
  { asker, findings, action, reason }: Told,
): readonly Event[] {
  const at = now().toISOString()
  const eventOf = (finding: Finding) => {
    const done = finding.isCorrection && action === 'blocked' ? 'corrected' : action
    return describeHookEvent(enforcementOf(asker, { action: done, finding, at, reason }))
  }
  const events = new Map(findings.map((finding) => [`${finding.rule} ${finding.subject}`, eventOf(finding)]))
  return [...events.values()]
}
