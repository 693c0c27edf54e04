import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '@pml/core/approval-config'
import type { SealedEvent } from '../audit/read-rows.ts'

/** What is told, and under which name, by what the audit log calls it. */
const told: Readonly<Record<string, WebhookEvent>> = {
  'change.block': 'blocked',
  'change.approve': 'approved',
  'change.reject': 'rejected',
  'change.spend': 'used',
}

export const toldActions = Object.keys(told)

export function eventOf({ action }: Pick<SealedEvent, 'action'>): WebhookEvent | undefined {
  return told[action]
}

export interface Message {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** As https://www.standardwebhooks.com has it, so that receivers can check it with a library of theirs. */
export function messageFor(
  { seq, at, actor, action, subject, detail }: SealedEvent,
  { secret, now }: { secret: string; now: Date },
): Message {
  const id = `pml_${seq}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const type = `change.${told[action] ?? action}`
  const body = JSON.stringify({ type, timestamp: at, data: { changeId: subject, key: actor, ...detail } })
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'pml-registry',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return { body, headers }
}

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret)
}
