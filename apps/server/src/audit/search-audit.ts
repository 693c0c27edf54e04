import type { AuditPage, AuditQuery } from '@pml/core/schemas'
import { and, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditEvent, auditLink } from '../db/schema.ts'
import { invalidQuery } from '../http/parse-query.ts'
import { requireScope, type Actor } from '../keys/actor.ts'

export const SEARCHING = 'search the audit log'

/** Newest first; events that are not sealed yet have no `seq`. */
export async function searchAudit({ orm }: Database, actor: Actor, query: AuditQuery): Promise<AuditPage> {
  requireScope(actor, 'approve')
  const { id, at, actor: who, action, subject, detail } = auditEvent
  const rows = await orm
    .select({ id, seq: auditLink.seq, at, actor: who, action, subject, detail })
    .from(auditEvent)
    .leftJoin(auditLink, eq(auditLink.eventId, id))
    .where(and(...conditionsFor(query)))
    .orderBy(desc(id))
    .limit(query.limit + 1)
  const events = rows.slice(0, query.limit).map(({ seq, ...event }) => ({
    ...event,
    ...(seq !== null && { seq }),
    at: event.at.toISOString(),
  }))
  const last = rows.length > query.limit ? events.at(-1) : undefined
  return { events, ...(last && { nextCursor: printCursor(last.id) }) }
}

function conditionsFor({ action, actor, subject, since, until, q, cursor }: AuditQuery): SQL[] {
  const { id, at, actor: who, detail } = auditEvent
  return [
    action !== undefined && eq(auditEvent.action, action),
    actor !== undefined && eq(who, actor),
    subject !== undefined && eq(auditEvent.subject, subject),
    since !== undefined && gte(at, new Date(since)),
    until !== undefined && lt(at, new Date(until)),
    q !== undefined &&
      sql`strpos(lower(concat_ws(' ', ${auditEvent.action}, ${who}, ${auditEvent.subject}, ${detail}::text)), lower(${q})) > 0`,
    cursor !== undefined && lt(id, parseCursor(cursor)),
  ].filter((condition) => condition !== false)
}

function printCursor(id: number): string {
  return Buffer.from(`audit:${id}`).toString('base64url')
}

function parseCursor(cursor: string): number {
  const [, id] = /^audit:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (id === undefined)
    throw invalidQuery(SEARCHING, 'cursor', 'expected the nextCursor of an earlier answer')
  return Number(id)
}
