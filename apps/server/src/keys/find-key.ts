import { createBatch } from '../db/batch.ts'
import type { Database } from '../db/connect.ts'

interface FoundKey {
  readonly id: string
  readonly hash: string
  readonly scopes: readonly string[]
  readonly specialist: string | null
  readonly revoked: boolean
  readonly expired: boolean
  /** When the secret was set, in microseconds. */
  readonly secretAt: string
  /** Whether the recorded last use is over a minute old. */
  readonly stale: boolean
}

/** Reads a key from the database, never from a cache. */
export type FindKey = (id: string) => Promise<FoundKey | undefined>

export function createFindKey({ lookups }: Pick<Database, 'lookups'>): FindKey {
  return createBatch<string, FoundKey | undefined>(
    async (ids) => {
      const rows = await lookups<FoundKey[]>`
        select id, secret_hash as hash, scopes, specialist, revoked_at is not null as revoked,
          (extract(epoch from secret_at) * 1000000)::bigint::text as "secretAt",
          coalesce(expires_at <= now(), false) as expired,
          coalesce(last_used_at < now() - interval '1 minute', true) as stale
        from api_key where id = any(${[...new Set(ids)]})`
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => byId.get(id))
    },
    { most: 200, lanes: 1 },
  )
}
