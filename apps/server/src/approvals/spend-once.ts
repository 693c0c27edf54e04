import { createBatch } from '../db/batch.ts'
import type { Database } from '../db/connect.ts'
import type { Event } from '../db/record-event.ts'

export interface SpendWish {
  readonly keyId: string
  readonly contentHash: string
  readonly path: string
  /** One of which must be the approval's; none: the content is enough. */
  readonly tokenHashes: readonly string[]
  /** Of the patterns that let it pass: when others hold by now, nothing is spent. */
  readonly revision: number
  /** Written down with it, each with who approved it as its reason. */
  readonly events: readonly Event[]
}

export interface SpentChange {
  readonly id: string
  readonly specialist: string
}

/** The approval of a content, used up by whoever gets it: of many that ask, one does, and never the key that gave it. */
export type SpendOnce = (wish: SpendWish) => Promise<SpentChange | undefined>

interface Row extends SpentChange {
  readonly at: string
}

export function createSpendOnce({ sql }: Pick<Database, 'sql'>): SpendOnce {
  return createBatch<SpendWish, SpentChange | undefined>(
    async (wishes) => {
      // Rows are locked in one order, so that two batches never wait for one another.
      const rows = await sql<Row[]>`
        with wish as (
          select * from unnest(
            ${wishes.map(({ keyId }) => keyId)}::text[],
            ${wishes.map(({ contentHash }) => contentHash)}::text[],
            ${wishes.map(({ path }) => path)}::text[],
            ${wishes.map(({ tokenHashes }) => tokenHashes.join(' '))}::text[],
            ${wishes.map(({ revision }) => revision)}::bigint[],
            ${wishes.map(({ events }) => JSON.stringify(events))}::jsonb[]
          ) with ordinality as w (key_id, hash, path, tokens, revision, events, at)
        ), found as (
          select c.id, w.key_id, w.at, w.tokens <> '' as by_token, w.events
          from wish w
          join pattern_revision p on p.revision = w.revision
          join change c on c.content_hash = w.hash and c.path = w.path
          join api_key k on k.id = c.decided_by
          where c.status = 'approved' and c.expires_at > clock_timestamp() and c.decided_by <> w.key_id
            and (w.tokens = '' or position(c.token_hash in w.tokens) > 0)
            and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
          order by c.id
          for update of c
        ), spent as (
          update change c set status = 'used', used_at = clock_timestamp(), used_by = f.key_id
          from found f where c.id = f.id and c.status = 'approved'
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
      const byPlace = new Map(rows.map(({ at, ...spent }) => [Number(at), spent]))
      return wishes.map((_, index) => byPlace.get(index + 1))
    },
    { most: 100, lanes: 3 },
  )
}
