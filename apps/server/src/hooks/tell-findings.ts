import type { EnforcementEvent, Finding } from '@pml/hooks'
import { recordEvents } from '../db/record-event.ts'
import type { Actor } from '../keys/actor.ts'
import { describeHookEvent } from './describe-hook-event.ts'
import type { Asker } from './asker.ts'
import type { Hooks } from './hooks.ts'

export interface Told {
  readonly asker: Asker
  readonly findings: readonly Finding[]
  readonly action: Extract<EnforcementEvent['action'], 'blocked' | 'allowed'>
  /** In place of what the rule has against it. */
  readonly reason?: string
}

const longest = { session: 200, tool: 200, subject: 500, reason: 2000 }

/** A row of the audit log for each rule and what it was about. */
export async function tellFindings(
  { approvals: { db }, now }: Hooks,
  actor: Actor,
  { asker, findings, action, reason }: Told,
): Promise<void> {
  const at = now().toISOString()
  const rows = new Map(
    findings.map((finding) => [
      `${finding.rule} ${finding.subject}`,
      {
        actor: actor.id,
        ...describeHookEvent({
          at,
          action: finding.isCorrection && action === 'blocked' ? 'corrected' : action,
          agent: asker.agent,
          session: asker.session === undefined ? null : cut(asker.session, longest.session),
          rule: finding.rule,
          tool: cut(asker.tool, longest.tool),
          subject: cut(finding.subject, longest.subject),
          reason: cut(reason ?? finding.reason, longest.reason),
        }),
      },
    ]),
  )
  await recordEvents(db.sql, [...rows.values()])
}

/** Never through the middle of a character, which the database would not take. */
export function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}
