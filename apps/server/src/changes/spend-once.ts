import type { Sql, TransactionSql } from 'postgres'
import { createBatch } from '../db/batch.ts'
import type { Database } from '../db/connect.ts'
import type { Event } from '../db/record-event.ts'

interface SpendRequest {
  readonly keyId: string
  readonly contentHash: string
  readonly path: string
  readonly project: string
  /** The hash of the token that the approval must have; undefined if the content is enough. */
  readonly tokenHash: string | undefined
  /** The revision of the patterns that were checked. If it has changed, nothing is spent. */
  readonly revision: number
  /** Recorded in the same statement, each with the approver as its reason. */
  readonly events: readonly Event[]
}

export interface SpentChange {
  readonly id: string
  readonly specialist: string
}

/** Uses up an approval. Exactly one of many concurrent requests succeeds, and never the key that gave it. */
export type SpendOnce = (request: SpendRequest) => Promise<SpentChange | undefined>

export function createSpendOnce({ sql }: Pick<Database, 'sql'>): SpendOnce {
  return createBatch<SpendRequest, SpentChange | undefined>(
    async (requests) => {
      const rows = await spendRows(sql, requests, { isTogether: false })
      const byPlace = new Map(rows.map(({ at, ...spent }) => [Number(at), spent]))
      return requests.map((_, index) => byPlace.get(index + 1))
    },
    { most: 100, lanes: 3 },
  )
}

/** Uses up the approvals of all requests; if one is missing, uses up none and returns an empty list. */
export async function spendAll(
  sql: TransactionSql,
  requests: readonly SpendRequest[],
): Promise<SpentChange[]> {
  const rows = requests.length === 0 ? [] : await spendRows(sql, requests, { isTogether: true })
  return rows.map(({ id, specialist }) => ({ id, specialist }))
}

interface Row extends SpentChange {
  readonly at: string
}

/** Locks rows in a fixed order, so that two of these statements cannot deadlock. */
function spendRows(
  sql: Sql | TransactionSql,
  requests: readonly SpendRequest[],
  { isTogether }: { isTogether: boolean },
): Promise<Row[]> {
  return sql<Row[]>`
    with request as (
      select * from unnest(
        ${requests.map(({ keyId }) => keyId)}::text[],
        ${requests.map(({ contentHash }) => contentHash)}::text[],
        ${requests.map(({ path }) => path)}::text[],
        ${requests.map(({ project }) => project)}::text[],
        ${requests.map(({ tokenHash }) => tokenHash ?? '')}::text[],
        ${requests.map(({ revision }) => revision)}::bigint[],
        ${requests.map(({ events }) => JSON.stringify(events))}::jsonb[]
      ) with ordinality as w (key_id, hash, path, project, token, revision, events, at)
    ), found as (
      select c.id, w.key_id, w.at, w.token <> '' as by_token, w.events
      from request w
      join pattern_revision p on p.revision = w.revision
      join change c on c.content_hash = w.hash and c.path = w.path and c.project = w.project
      join api_key k on k.id = c.decided_by
      where c.status = 'approved' and c.expires_at > clock_timestamp() and c.decided_by <> w.key_id
        and (w.token = '' or c.token_hash = w.token)
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
      order by c.id
      for update of c
    ), spent as (
      update change c set status = 'used', used_at = clock_timestamp(), used_by = f.key_id
      from found f where c.id = f.id and c.status = 'approved'
        and (not ${isTogether}::boolean or (select count(distinct id) from found) = ${requests.length})
      returning c.id, c.path, c.content_hash, c.specialist, f.key_id, f.at, f.by_token, f.events
    ), told as (
      insert into audit_event (actor, action, subject, detail)
      select key_id, 'change.spend', id, jsonb_build_object('path', path, 'contentHash', content_hash,
        'via', case when by_token then 'token' else 'content' end)
      from spent
      union all
      select key_id, e->>'action', e->>'subject',
        (e->'detail') || jsonb_build_object('reason', 'Approved by ' || specialist || ' (' || id || ')')
      from spent cross join jsonb_array_elements(events) e
    )
    select id, specialist, at from spent`
}
