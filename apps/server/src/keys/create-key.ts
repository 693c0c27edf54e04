import type { NewKey } from '@pml/core/schemas'
import { sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import type { Database } from '../db/connect.ts'
import { apiKey } from '../db/schema.ts'
import { requireAdmin, type Actor } from './actor.ts'
import { hashSecret, newKeyText, printKey } from './key-text.ts'

/** Creates a key. The result holds the only copy of its secret. */
export async function createKey(
  db: Database,
  actor: Actor,
  read: () => Promise<NewKey>,
): Promise<{ id: string; key: string }> {
  requireAdmin(actor)
  const text = newKeyText()
  const { name, scopes, specialist, expiresInDays } = await read()
  await db.orm.transaction(async (tx) => {
    await tx.insert(apiKey).values({
      id: text.id,
      name,
      scopes,
      specialist,
      secretHash: hashSecret(text.secret),
      origin: 'api',
      createdBy: actor.id,
      expiresAt:
        expiresInDays === undefined ? null : sql`now() + make_interval(secs => ${expiresInDays * 86_400})`,
    })
    await recordEvent(tx, actor, {
      action: 'key.create',
      subject: text.id,
      detail: { name, scopes, specialist, expiresInDays },
    })
  })
  return { id: text.id, key: printKey(text) }
}
