import { sql, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { madeSince } from './made-since.ts'

export interface Suspect {
  readonly changeId: string
  readonly keyId: string
  readonly agent?: string | undefined
  readonly session?: string | undefined
}

/**
 * In which way a key is that of somebody who asked for a change, or before for another with its content; undefined when
 * it is not. It is by being the key that asked, by having asked for others as the same agent or in the same session, by
 * saying so, or by having been made since then with the key that asked.
 */
export async function findAsker(
  tx: Transaction,
  { changeId, keyId, agent = '', session = '' }: Suspect,
): Promise<string | undefined> {
  const isMade = madeSince(keyId, { asker: sql`asked.key_id`, since: sql`asked.at` })
  const isAgent = (name: SQL) => sql`(asked.agent <> '' and ${plain(sql`asked.agent`)} = ${plain(name)})`
  const isSession = (name: SQL) =>
    sql`(asked.session <> '' and ${plain(sql`asked.session`)} = ${plain(name)})`
  const [row] = await tx.execute<{ how: string }>(sql`
    select case
      when asked.key_id = ${keyId} then 'this key asked for it'
      when ${isMade} then 'this key was made since, with the one that asked for it'
      when ${isAgent(sql`other.agent`)} or ${isAgent(sql`${agent}`)} then 'its agent asked for it'
      else 'its session asked for it' end as how
    from change decided
    join change same on same.content_hash = decided.content_hash
    join change_request asked on asked.change_id = same.id
    left join change_request other on other.key_id = ${keyId}
      and (${isAgent(sql`other.agent`)} or ${isSession(sql`other.session`)})
    where decided.id = ${changeId} and (
      asked.key_id = ${keyId} or ${isMade} or other.key_id is not null
      or ${isAgent(sql`${agent}`)} or ${isSession(sql`${session}`)})
    order by asked.key_id = ${keyId} desc
    limit 1`)
  return row?.how
}

/** A name is the same in other letters: that makes nobody another. */
function plain(name: SQL): SQL {
  return sql`lower(btrim(normalize(${name}::text, NFKC)))`
}
