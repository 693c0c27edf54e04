import { PmlError } from '@pml/core'
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { apiKey } from '../db/schema.ts'
import { anonymous, type Actor } from './actor.ts'
import { parseKey, secretMatches } from './key-text.ts'

/** How old the note of a key's last use may get before it is written anew. */
const LAST_USED_GRAIN = sql`interval '1 minute'`

/** Without a header anyone is anonymous; with one it must hold a key that is valid now. */
export async function authenticate(db: Database, authorization: string | undefined): Promise<Actor> {
  if (authorization === undefined) return anonymous
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? []
  const key = parseKey(text)
  if (!key) throw unauthorized('expected "Authorization: Bearer pml_<id>_<secret>"')
  const [row] = await db.orm
    .select({
      hash: apiKey.secretHash,
      scopes: apiKey.scopes,
      specialist: apiKey.specialist,
      revoked: sql<boolean>`${apiKey.revokedAt} is not null`,
      expired: sql<boolean>`coalesce(${apiKey.expiresAt} <= now(), false)`,
      stale: sql<boolean>`coalesce(${apiKey.lastUsedAt} < now() - ${LAST_USED_GRAIN}, true)`,
    })
    .from(apiKey)
    .where(eq(apiKey.id, key.id))
  if (!row || !secretMatches(key.secret, row.hash)) throw unauthorized('the key is not known')
  if (row.revoked) throw unauthorized(`key ${key.id} was revoked`)
  if (row.expired) throw unauthorized(`key ${key.id} has expired`)
  if (row.stale) await noteUse(db, key.id)
  return { id: key.id, scopes: row.scopes, specialist: row.specialist ?? undefined }
}

async function noteUse(db: Database, id: string): Promise<void> {
  await db.orm
    .update(apiKey)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKey.id, id), sql`coalesce(${apiKey.lastUsedAt} < now() - ${LAST_USED_GRAIN}, true)`))
}

function unauthorized(reason: string): PmlError {
  return new PmlError('unauthorized', `Cannot use this key: ${reason}`)
}
