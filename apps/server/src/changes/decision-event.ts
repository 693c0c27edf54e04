import type { WebhookEvent } from '@pml/core/approval-config'

/** What becomes of a change, by what the audit log calls it. */
const events: Readonly<Record<string, WebhookEvent>> = {
  'change.block': 'blocked',
  'change.approve': 'approved',
  'change.reject': 'rejected',
  'change.spend': 'used',
}

/** Undefined for whatever else is in the log. */
export function eventOf({ action }: { readonly action: string }): WebhookEvent | undefined {
  return events[action]
}
