import type { ChangeList, ChangeQuery, ChangeSummary } from '@pml/core/schemas'
import { and, desc, eq, sql, type SQL } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { change, changeRequest } from '../db/schema.ts'
import { invalidQuery } from '../wire/parse-query.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { shownStatus } from './shown-status.ts'

/** Lists changes, newest first. */
export async function listChanges(
  { orm }: Pick<Database, 'orm'>,
  actor: Actor,
  query: ChangeQuery,
): Promise<ChangeList> {
  requireScope(actor, 'hook|approve')
  const rows = await orm
    .select(summaryColumns)
    .from(change)
    .where(and(...conditionsOf(query)))
    .orderBy(desc(change.blockedAt), desc(change.id))
    .limit(query.limit + 1)
  const page = rows.slice(0, query.limit)
  const last = rows.length > query.limit ? page.at(-1) : undefined
  return { changes: page.map(summaryOf), ...(last && { nextCursor: printCursor(last) }) }
}

export const summaryColumns = {
  id: change.id,
  status: shownStatus,
  tool: change.tool,
  path: change.path,
  project: change.project,
  type: change.type,
  contentHash: change.contentHash,
  sizeBytes: change.sizeBytes,
  agents: sql<string[]>`array(select distinct r.agent from ${changeRequest} r
    where r.change_id = ${change.id} and r.agent <> '' order by 1)`,
  blockedAt: change.blockedAt,
  /** The cursor needs microseconds; a Date has milliseconds. */
  blockedMicros: sql<string>`(extract(epoch from ${change.blockedAt}) * 1000000)::bigint::text`,
  decidedAt: change.decidedAt,
  specialist: change.specialist,
  reason: change.reason,
  expiresAt: change.expiresAt,
  usedAt: change.usedAt,
}

type SummaryRow = Omit<ChangeSummary, 'blockedAt' | 'decidedAt' | 'expires' | 'usedAt'> & {
  readonly blockedAt: Date
  readonly blockedMicros: string
  readonly decidedAt: Date | null
  readonly expiresAt: Date | null
  readonly usedAt: Date | null
}

export function summaryOf(row: SummaryRow): ChangeSummary {
  const { id, status, tool, path, project, type, contentHash, sizeBytes, agents, specialist, reason } = row
  return {
    id,
    status,
    tool,
    path,
    project,
    type,
    contentHash,
    sizeBytes,
    agents,
    specialist,
    reason,
    blockedAt: row.blockedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    expires: row.expiresAt?.toISOString() ?? null,
    usedAt: row.usedAt?.toISOString() ?? null,
  }
}

function conditionsOf({ status, type, path, project, agent, q, cursor }: ChangeQuery): SQL[] {
  const conditions: SQL[] = []
  if (status !== undefined) conditions.push(statusCondition(status))
  if (type !== undefined) conditions.push(eq(change.type, type))
  if (path !== undefined) conditions.push(eq(change.path, path))
  if (project !== undefined) conditions.push(eq(change.project, project))
  if (agent !== undefined)
    conditions.push(
      sql`exists (select from ${changeRequest} r where r.change_id = ${change.id} and r.agent = ${agent})`,
    )
  if (q !== undefined)
    conditions.push(
      sql`strpos(lower(concat_ws(' ', ${change.path}, ${change.tool}, ${change.reason})), lower(${q})) > 0`,
    )
  if (cursor !== undefined) {
    const { micros, id } = parseCursor(cursor)
    const at = sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`
    conditions.push(sql`(${change.blockedAt}, ${change.id}) < (${at}, ${id})`)
  }
  return conditions
}

function statusCondition(status: NonNullable<ChangeQuery['status']>): SQL {
  if (status !== 'approved' && status !== 'expired') return eq(change.status, status)
  return sql`${change.status} = 'approved' and ${shownStatus} = ${status}`
}

function printCursor({ blockedMicros, id }: Pick<SummaryRow, 'blockedMicros' | 'id'>): string {
  return Buffer.from(`${blockedMicros}|${id}`).toString('base64url')
}

function parseCursor(cursor: string): { micros: string; id: string } {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, micros, id] = /^(\d{1,16})\|(chg_[0-9a-f]+)$/.exec(text) ?? []
  if (micros === undefined || id === undefined)
    throw invalidQuery('list changes', 'cursor', 'expected the nextCursor of an earlier response')
  return { micros, id }
}
