import { sql, type SQL } from 'drizzle-orm'

interface Question {
  readonly asker: SQL
  readonly since: SQL
  /** Makers that config/approvals.json trusts to make keys for others. */
  readonly operators: readonly string[]
}

/**
 * Whether a key was made, or was given a new secret, after the question `since`, by the asker or by a maker that the two
 * have in common, directly or through other keys. An operator makes keys for others, so nothing above one counts; that
 * the asker itself is an operator helps nobody.
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
