import { sql, type SQL } from 'drizzle-orm'

/**
 * Whether a key came about, after `since`, by the key `asker`: who made it or gave it a new secret, who made those, and
 * so on. A key that was there before is somebody else's, though one admin made all keys.
 */
export function madeSince(keyId: string, { asker, since }: { asker: SQL; since: SQL }): SQL {
  return sql`(
    ${asker} in (
      with recursive maker (id) as (
        select created_by from api_key where id = ${keyId}
        union
        select k.created_by from api_key k join maker on maker.id = k.id
      )
      select id from maker where id is not null)
    and exists (select from api_key k where k.id = ${keyId} and k.secret_at > ${since}))`
}
