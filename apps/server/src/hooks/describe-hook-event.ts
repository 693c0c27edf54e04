import type { EnforcementEvent } from '@pml/hooks'
import type { Event } from '../db/record-event.ts'

/** What a hook did, as the audit log has it. The log's own time is when it heard of it. */
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
