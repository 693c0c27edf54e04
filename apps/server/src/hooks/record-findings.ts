import { enforcementOf, type Asker, type EnforcementEvent, type Finding } from '@pml/hooks'
import { recordEvents, type Event } from '../db/record-event.ts'
import type { Actor } from '../keys/actor.ts'
import { describeHookEvent } from './describe-hook-event.ts'
import type { Hooks } from './hooks.ts'

interface Recorded {
  readonly asker: Asker
  readonly findings: readonly Finding[]
  readonly action: Extract<EnforcementEvent['action'], 'blocked' | 'allowed'>
  /** Replaces the reason of the rule. */
  readonly reason?: string
}

/** Writes an audit event for each rule and subject. */
export async function recordFindings(hooks: Hooks, actor: Actor, recorded: Recorded): Promise<void> {
  const rows = eventsOf(hooks, recorded).map((event) => ({ actor: actor.id, ...event }))
  await recordEvents(hooks.approvals.db.sql, rows)
}

export function eventsOf(
  { now }: Pick<Hooks, 'now'>,
  { asker, findings, action, reason }: Recorded,
): readonly Event[] {
  const at = now().toISOString()
  const eventOf = (finding: Finding) => {
    const done = finding.isCorrection && action === 'blocked' ? 'corrected' : action
    return describeHookEvent(enforcementOf(asker, { action: done, finding, at, reason }))
  }
  const events = new Map(findings.map((finding) => [`${finding.rule} ${finding.subject}`, eventOf(finding)]))
  return [...events.values()]
}
