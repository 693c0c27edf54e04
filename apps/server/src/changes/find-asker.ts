import { foldName } from '@pml/core/fold-name'
import { sql, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { madeSince } from '../keys/made-since.ts'

interface Suspect {
  readonly changeId: string
  readonly keyId: string
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly operators: readonly string[]
}

/**
 * Returns why a key counts as an asker of a change, or of an earlier one with the same content; undefined if it does not.
 * It counts if it asked, if it asked or now calls as the same agent or in the same session, or if the asker or the
 * asker's maker created it since. Names that look the same are the same.
 */
export async function findAsker(
  tx: Transaction,
  { changeId, keyId, agent = '', session = '', operators }: Suspect,
): Promise<string | undefined> {
  const isMade = madeSince(keyId, { asker: sql`asked.key_id`, since: sql`asked.at`, operators })
  const isAgent = (name: SQL) => sql`(asked.agent_fold <> '' and asked.agent_fold = ${name})`
  const isSession = (name: SQL) => sql`(asked.session_fold <> '' and asked.session_fold = ${name})`
  const [isSameAgent, isSameSession] = [
    isAgent(sql`${foldName(agent)}`),
    isSession(sql`${foldName(session)}`),
  ]
  const [row] = await tx.execute<{ how: string }>(sql`
    select case
      when asked.key_id = ${keyId} then 'this key asked for it'
      when ${isMade} then 'this key was made after the request, by the key that asked or by the maker of that key'
      when ${isAgent(sql`other.agent_fold`)} or ${isSameAgent} then 'its agent asked for it'
      else 'its session asked for it' end as how
    from change decided
    join change same on same.content_hash = decided.content_hash
    join change_request asked on asked.change_id = same.id
    left join change_request other on other.key_id = ${keyId}
      and (${isAgent(sql`other.agent_fold`)} or ${isSession(sql`other.session_fold`)})
    where decided.id = ${changeId} and (
      asked.key_id = ${keyId} or ${isMade} or other.key_id is not null
      or ${isSameAgent} or ${isSameSession})
    order by asked.key_id = ${keyId} desc
    limit 1`)
  return row?.how
}
