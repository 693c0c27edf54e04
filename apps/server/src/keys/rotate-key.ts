import { PmlError } from '@pml/core'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { apiKey } from '../db/schema.ts'
import { requireAdmin, type Actor } from './actor.ts'
import { hashSecret, isKeyId, newKeyText, printKey } from './key-text.ts'

/** Replaces the secret of a key; the old one stops working immediately. The actor becomes the creator of the key. */
export async function rotateKey(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ id: string; key: string }> {
  requireAdmin(actor)
  if (!isKeyId(id))
    throw new PmlError('not_found', 'Cannot rotate the key: expected an id of letters, digits and -')
  const text = newKeyText(id)
  await db.orm.transaction(async (tx) => {
    const rotated = await tx
      .update(apiKey)
      .set({ secretHash: hashSecret(text.secret), createdBy: actor.id, secretAt: sql`clock_timestamp()` })
      .where(and(eq(apiKey.id, id), isNull(apiKey.revokedAt)))
      .returning({ id: apiKey.id })
    if (rotated.length === 0)
      throw new PmlError('not_found', `Cannot rotate key '${id}': there is no such key, or it was revoked`)
    await recordEvent(tx, actor, { action: 'key.rotate', subject: id, detail: {} })
  })
  return { id, key: printKey(text) }
}
