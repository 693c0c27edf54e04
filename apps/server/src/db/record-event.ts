import type { Sql } from 'postgres'
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
  actor: { readonly id: string },
  { action, subject, detail }: Event,
): Promise<void> {
  await tx.insert(auditEvent).values({ actor: actor.id, action, subject, detail })
}

/** Of what changes nothing by itself, such as a refusal: there is no transaction that it could be a part of. */
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
