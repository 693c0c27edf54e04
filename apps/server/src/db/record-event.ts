import type { Actor } from '../keys/actor.ts'
import type { Transaction } from './connect.ts'
import { auditEvent } from './schema.ts'

export interface Event {
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Written in the transaction of what it tells of: one is never there without the other. */
export async function recordEvent(
  tx: Transaction,
  actor: Actor,
  { action, subject, detail }: Event,
): Promise<void> {
  await tx.insert(auditEvent).values({ actor: actor.id, action, subject, detail })
}
