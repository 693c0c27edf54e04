import type { Sql } from 'postgres'
import type { Transaction } from './connect.ts'
import { auditEvent } from './schema.ts'

export interface Event {
  readonly action: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Writes an audit event in the transaction of the change that it describes, so that both commit or neither. */
export async function recordEvent(
  tx: Transaction,
  actor: { readonly id: string },
  { action, subject, detail }: Event,
): Promise<void> {
  await tx.insert(auditEvent).values({ actor: actor.id, action, subject, detail })
}

/** Writes audit events that belong to no transaction, such as refusals. */
export async function recordEvents(
  sql: Sql,
  events: readonly (Event & { readonly actor: string })[],
): Promise<void> {
  const rows = events.map(({ actor, action, subject, detail }) => ({
    actor,
    action,
    subject,
    detail: JSON.stringify(detail),
  }))
  await sql`insert into audit_event ${sql(rows)}`
}
