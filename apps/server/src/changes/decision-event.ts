import type { WebhookEvent } from '@pml/core/approval-config'

/** The webhook events, by the audit action that causes them. */
const events: Readonly<Record<string, WebhookEvent>> = {
  'change.block': 'blocked',
  'change.approve': 'approved',
  'change.reject': 'rejected',
  'change.spend': 'used',
}

/** Returns the event of an audit row, or undefined if the row is not about a decision. */
export function eventOf({ action }: { readonly action: string }): WebhookEvent | undefined {
  return events[action]
}
