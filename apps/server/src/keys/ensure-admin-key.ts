import { and, eq, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { apiKey } from '../db/schema.ts'
import { system } from './actor.ts'
import { hashSecret, newKeyText, parseKey, printKey } from './key-text.ts'

/** An arbitrary unique constant: replicas that start together create one key. */
const ADVISORY_LOCK = 7_011_220_527

/**
 * Creates an admin key on the first start. `keep` saves it before the transaction commits, so that it cannot get lost.
 * A key from the environment is used instead; an earlier key from the environment is then revoked.
 */
export async function ensureAdminKey(
  db: Database,
  { given, keep }: { given: string | undefined; keep: (key: string) => Promise<void> },
): Promise<void> {
  await db.orm.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
    const key = given === undefined ? undefined : parseKey(given)
    if (key) return adopt(tx, key)
    const [existing] = await tx.select({ id: apiKey.id }).from(apiKey).limit(1)
    if (existing) return
    const created = newKeyText()
    await insertAdmin(tx, created, 'first-start')
    await keep(printKey(created))
  })
}

async function adopt(tx: Transaction, key: { id: string; secret: string }): Promise<void> {
  const revoked = await tx
    .update(apiKey)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKey.origin, 'environment'), ne(apiKey.id, key.id), isNull(apiKey.revokedAt)))
    .returning({ id: apiKey.id })
  for (const { id } of revoked)
    await recordEvent(tx, system, { action: 'key.revoke', subject: id, detail: {} })
  await insertAdmin(tx, key, 'environment')
}

async function insertAdmin(
  tx: Transaction,
  { id, secret }: { id: string; secret: string },
  origin: 'first-start' | 'environment',
): Promise<void> {
  const values = {
    secretHash: hashSecret(secret),
    scopes: ['admin'],
    origin,
    revokedAt: null,
    expiresAt: null,
  }
  const isOther = or(
    ne(apiKey.secretHash, values.secretHash),
    ne(apiKey.scopes, values.scopes),
    isNotNull(apiKey.revokedAt),
    isNotNull(apiKey.expiresAt),
  )
  const changed = await tx
    .insert(apiKey)
    .values({ id, name: 'admin', ...values })
    .onConflictDoUpdate({
      target: apiKey.id,
      set: { ...values, secretAt: sql`clock_timestamp()` },
      setWhere: isOther,
    })
    .returning({ id: apiKey.id })
  if (changed.length > 0) {
    await recordEvent(tx, system, {
      action: 'key.create',
      subject: id,
      detail: { origin, scopes: ['admin'] },
    })
  }
}
