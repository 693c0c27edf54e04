import { PmlError } from '@pml/core'
import { and, arrayContains, eq, isNull, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { apiKey } from '../db/schema.ts'
import { requireAdmin, type Actor } from './actor.ts'
import { isKeyId } from './key-text.ts'

export async function revokeKey(db: Database, actor: Actor, id: string): Promise<void> {
  requireAdmin(actor)
  if (!isKeyId(id))
    throw new PmlError('not_found', 'Cannot revoke the key: expected an id of letters, digits and -')
  await db.orm.transaction(async (tx) => {
    await requireAnotherAdmin(tx, id)
    const revoked = await tx
      .update(apiKey)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(apiKey.id, id), isNull(apiKey.revokedAt)))
      .returning({ id: apiKey.id })
    if (revoked.length === 0)
      throw new PmlError('not_found', `Cannot revoke key '${id}': there is no such key, or it was revoked`)
    await recordEvent(tx, actor, { action: 'key.revoke', subject: id, detail: {} })
  })
}

/** Locks the admin keys, so that concurrent revocations cannot remove the last one. */
async function requireAnotherAdmin(tx: Transaction, id: string): Promise<void> {
  const usable = and(isNull(apiKey.revokedAt), or(isNull(apiKey.expiresAt), sql`${apiKey.expiresAt} > now()`))
  const admins = await tx
    .select({ id: apiKey.id })
    .from(apiKey)
    .where(and(arrayContains(apiKey.scopes, ['admin']), usable))
    .for('update')
  if (admins.some((key) => key.id === id) && admins.length === 1) {
    throw new PmlError(
      'last_admin_key',
      `Cannot revoke key '${id}': it is the last one with scope admin; create another first`,
    )
  }
}
