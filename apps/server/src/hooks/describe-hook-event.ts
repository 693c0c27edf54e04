import type { EnforcementEvent } from '@pml/hooks'
import type { Event } from '../db/record-event.ts'

/** Converts an action of a hook to an audit event. The audit log's own time is when it received it. */
export function describeHookEvent({
  action,
  subject,
  at,
  agent,
  session,
  rule,
  tool,
  reason,
}: Omit<EnforcementEvent, 'id'>): Event {
  return { action: `hook.${action}`, subject, detail: { at, agent, session, rule, tool, reason } }
}
