import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'

export interface Suspect {
  readonly changeId: string
  readonly keyId: string
  readonly agent?: string | undefined
  readonly session?: string | undefined
}

/**
 * In which way a key is that of somebody who asked for a change; undefined when it is not. It is by being the key that
 * asked, by having asked for others as the same agent or in the same session, by saying so, or by having been made
 * with the key that asked.
 */
export async function findAsker(
  tx: Transaction,
  { changeId, keyId, agent, session }: Suspect,
): Promise<string | undefined> {
  const [row] = await tx.execute<{ how: string }>(sql`
    select case
      when asked.key_id = ${keyId} then 'this key asked for it'
      when made.id is not null then 'this key was made with the one that asked for it'
      when asked.agent <> '' and asked.agent in (other.agent, ${agent ?? null}) then 'its agent asked for it'
      else 'its session asked for it' end as how
    from change_request asked
    left join change_request other on other.key_id = ${keyId}
      and ((asked.agent <> '' and other.agent = asked.agent) or (asked.session <> '' and other.session = asked.session))
    left join api_key made on made.id = ${keyId} and made.created_by = asked.key_id
    where asked.change_id = ${changeId} and (
      asked.key_id = ${keyId} or other.key_id is not null or made.id is not null
      or (asked.agent <> '' and asked.agent = ${agent ?? null})
      or (asked.session <> '' and asked.session = ${session ?? null}))
    order by asked.key_id = ${keyId} desc
    limit 1`)
  return row?.how
}
