import type { KeyList } from '@pml/core/schemas'
import { asc } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { apiKey } from '../db/schema.ts'
import { requireAdmin, type Actor } from './actor.ts'

export async function listKeys(db: Database, actor: Actor): Promise<KeyList> {
  requireAdmin(actor)
  const { id, name, scopes, specialist, createdAt, expiresAt, lastUsedAt, revokedAt } = apiKey
  const shown = { id, name, scopes, specialist, createdAt, expiresAt, lastUsedAt, revokedAt }
  const rows = await db.orm.select(shown).from(apiKey).orderBy(asc(createdAt), asc(id))
  const keys = rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  }))
  return { keys }
}
