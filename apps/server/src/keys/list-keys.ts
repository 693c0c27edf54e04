import { asc } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { apiKey } from '../db/schema.ts'
import { requireAdmin, type Actor } from './actor.ts'

export async function listKeys(db: Database, actor: Actor) {
  requireAdmin(actor)
  const { id, name, scopes, specialist, createdAt, expiresAt, lastUsedAt, revokedAt } = apiKey
  const shown = { id, name, scopes, specialist, createdAt, expiresAt, lastUsedAt, revokedAt }
  return { keys: await db.orm.select(shown).from(apiKey).orderBy(asc(createdAt), asc(id)) }
}
