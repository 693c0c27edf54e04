import { createHmac } from 'node:crypto'
import { eventOf } from '../changes/decision-event.ts'
import type { SealedEvent } from '../audit/read-rows.ts'

export interface Message {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Builds a message of https://www.standardwebhooks.com, which receivers can verify with existing libraries. */
export function messageFor(row: SealedEvent, { secret, now }: { secret: string; now: Date }): Message {
  const { seq, at, actor, action, subject, detail } = row
  const id = `pml_${seq}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const type = `change.${eventOf(row) ?? action}`
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
