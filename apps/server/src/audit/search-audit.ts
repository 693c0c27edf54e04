import type { AuditPage, AuditQuery } from '@pml/core/schemas'
import { and, desc, eq, gte, inArray, lt, or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditEvent, auditLink, mcpName } from '../db/schema.ts'
import { invalidQuery } from '../wire/parse-query.ts'
import { mayReadAll, requireScope, type Actor } from '../keys/actor.ts'

export const SEARCHING = 'search the audit log'

/** Returns matching events, the newest first. Unsealed ones have no `seq`; private names need the right to read them. */
export async function searchAudit({ orm }: Database, actor: Actor, query: AuditQuery): Promise<AuditPage> {
  requireScope(actor, 'approve')
  const { id, at, actor: who, action, subject } = auditEvent
  const detail = mayReadAll(actor) ? auditEvent.detail : withoutPrivate
  const rows = await orm
    .select({ id, seq: auditLink.seq, at, actor: who, action, subject, detail })
    .from(auditEvent)
    .leftJoin(auditLink, eq(auditLink.eventId, id))
    .where(and(isForActor(actor), ...conditionsFor(query, detail)))
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

/** Removes details that may be private: the arguments of scopes, and the previous release. */
const withoutPrivate = sql<Readonly<Record<string, unknown>>>`(case
  when ${auditEvent.detail} -> 'scopes' is not null then jsonb_set(${auditEvent.detail}, '{scopes}', (
    select coalesce(jsonb_agg(regexp_replace(scope, ':.*', ':…')), '[]')
    from jsonb_array_elements_text(${auditEvent.detail} -> 'scopes') scope))
  else ${auditEvent.detail} - 'previous' end)`

/** Excludes events about private names and private releases that the actor may not read. */
function isForActor(actor: Actor): SQL | undefined {
  if (mayReadAll(actor)) return undefined
  const { subject, detail } = auditEvent
  return sql`not exists (
    select from ${mcpName} where ${mcpName.name} = ${subject} and not coalesce(${isReadableBy(actor)}, false)
      and (${mcpName.visibility} = 'private' or exists (
        select from mcp_release r where r.name = ${subject} and r.visibility = 'private'
          and r.integrity = ${detail} ->> 'integrity')))`
}

/** The SQL form of core's `mayRead`. */
function isReadableBy({ scopes }: Actor): SQL {
  const argumentsOf = (kind: string) =>
    scopes.filter((scope) => scope.startsWith(kind)).map((scope) => scope.slice(kind.length))
  const orgs = argumentsOf('read:')
  const stems = argumentsOf('publish:').map((pattern) => pattern.replace(/\.\*$/, ''))
  const conditions = [
    ...(orgs.length > 0 ? [inArray(mcpName.org, orgs)] : []),
    ...stems.map((stem) => sql`(${mcpName.name} = ${stem} or starts_with(${mcpName.name}, ${`${stem}.`}))`),
  ]
  return or(...conditions) ?? sql`false`
}

function conditionsFor(
  { action, actor, subject, since, until, q, cursor }: AuditQuery,
  detail: SQLWrapper,
): SQL[] {
  const { id, at, actor: who } = auditEvent
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
