import { sql, type SQL } from 'drizzle-orm'

/** The key itself and everybody by whom it came about: who made it or gave it a new secret, who made those, and so on. */
export function makersOf(keyId: string): SQL {
  return sql`(
    with recursive maker (id) as (
      select ${keyId}::text
      union
      select k.created_by from api_key k join maker on maker.id = k.id where k.created_by is not null
    )
    select id from maker)`
}
