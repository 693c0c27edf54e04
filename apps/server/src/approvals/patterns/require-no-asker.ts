import { PmlError } from '@pml/core'
import { sql } from 'drizzle-orm'
import type { Transaction } from '../../db/connect.ts'
import type { Actor } from '../../keys/actor.ts'
import { madeSince } from '../made-since.ts'

/** Whoever asks for changes is not the one to say which of them pass, one by one or by a pattern. */
export async function requireNoAsker(tx: Transaction, { id }: Actor): Promise<void> {
  const [row] = await tx.execute<{ key: string }>(
    sql`select asked.key_id as key from change_request asked
      where asked.key_id = ${id} or ${madeSince(id, { asker: sql`asked.key_id`, since: sql`asked.at` })}
      limit 1`,
  )
  if (!row) return
  const whose = row.key === id ? 'this key' : `key ${row.key}, with which this one was made,`
  throw new PmlError(
    'self_approval',
    `Cannot decide by a pattern: ${whose} has asked for changes itself; it takes the key of somebody else`,
  )
}
