import { PmlError } from '@pml/core'
import { sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { anonymous, type Actor } from './actor.ts'
import type { FindKey } from './find-key.ts'
import { parseKey, secretMatches } from './key-text.ts'

export type RefusalReason = 'malformed' | 'unknown' | 'wrong secret' | 'revoked' | 'expired' | 'scope'

/** A rejected key. The reason is for the audit log only: callers must not learn whether the id exists. */
export class RefusedKey extends PmlError {
  override readonly name = 'RefusedKey'
  readonly keyId: string | undefined
  readonly reason: RefusalReason

  constructor(message: string, { keyId, reason }: { keyId: string | undefined; reason: RefusalReason }) {
    super('unauthorized', `Cannot use this key: ${message}`)
    this.keyId = keyId
    this.reason = reason
  }
}

/** Returns the actor of the key, or anonymous without a header; throws `unauthorized` for an invalid key. */
export async function authenticate(
  { db, findKey }: { db: Database; findKey: FindKey },
  authorization: string | undefined,
): Promise<Actor> {
  if (authorization === undefined) return anonymous
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? []
  const key = parseKey(text)
  if (!key)
    throw new RefusedKey('expected "Authorization: Bearer pml_<id>_<secret>"', {
      keyId: undefined,
      reason: 'malformed',
    })
  const row = await findKey(key.id)
  const refused = (message: string, reason: RefusalReason) =>
    new RefusedKey(message, { keyId: key.id, reason })
  if (!row) throw refused('the key is not known', 'unknown')
  if (!secretMatches(key.secret, row.hash)) throw refused('the key is not known', 'wrong secret')
  if (row.revoked) throw refused(`key ${key.id} was revoked`, 'revoked')
  if (row.expired) throw refused(`key ${key.id} has expired`, 'expired')
  if (row.stale) await noteUse(db, key.id)
  const { scopes, specialist, secretAt } = row
  return { id: key.id, scopes, specialist: specialist ?? undefined, secretAt }
}

/** Updates the time of last use and logs the use in one statement, so that concurrent requests log it once. */
async function noteUse(db: Database, id: string): Promise<void> {
  await db.orm.execute(sql`
    with used as (
      update api_key set last_used_at = now()
      where id = ${id} and coalesce(last_used_at < now() - interval '1 minute', true)
      returning id
    )
    insert into audit_event (actor, action, subject, detail) select id, 'key.use', id, '{}' from used`)
}
