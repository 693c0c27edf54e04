import { sql, type SQL } from 'drizzle-orm'

interface Question {
  readonly asker: SQL
  readonly since: SQL
  /** Keys that config/approvals.json trusts to create keys for others. */
  readonly operators: readonly string[]
}

/**
 * SQL that reports whether a key was created or rotated after `since` by the asker, or by a maker that both keys share,
 * directly or through other keys. Operators create keys for others, so an operator ends the chain, and counts only if
 * it is the asker itself.
 */
export function madeSince(keyId: string, { asker, since, operators }: Question): SQL {
  const trusted = sql`string_to_array(${operators.join(',')}, ',')`
  return sql`exists (
    with recursive maker (id) as (
      select made_by from key_maker where key_id = ${keyId} and at > ${since}
      union
      select k.made_by from key_maker k join maker on k.key_id = maker.id where maker.id <> all(${trusted})
    ), asking (id) as (
      select ${asker}
      union
      select k.made_by from key_maker k join asking on k.key_id = asking.id
    )
    select from maker join asking using (id) where id = ${asker} or id <> all(${trusted}))`
}
