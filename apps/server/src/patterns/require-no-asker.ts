import { PmlError } from '@pml/core'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import type { Actor } from '../keys/actor.ts'
import { madeSince } from '../keys/made-since.ts'

/** Refuses a key that has asked for changes, or that was made since by an asking key or by its maker. */
export async function requireNoAsker(
  tx: Transaction,
  { id }: Actor,
  operators: readonly string[],
): Promise<void> {
  const isMade = madeSince(id, { asker: sql`asked.key_id`, since: sql`asked.at`, operators })
  // The first request of a key is enough: every key made after a later request was also made after the first.
  const [row] = await tx.execute<{ key: string }>(
    sql`select asked.key_id as key
      from (select key_id, min(at) as at from change_request group by key_id) asked
      where asked.key_id = ${id} or ${isMade}
      order by asked.key_id = ${id} desc
      limit 1`,
  )
  if (!row) return
  const whose =
    row.key === id
      ? 'this key has asked for changes itself'
      : `this key was made after key ${row.key} asked for changes, by that key or by its maker`
  throw new PmlError(
    'self_approval',
    `Cannot decide by a pattern: ${whose}; use another person's key, made earlier or by an operator of config/approvals.json`,
  )
}
