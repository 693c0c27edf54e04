import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'

/** An arbitrary unique constant: one replica seals or rotates at a time. */
const ADVISORY_LOCK = 7_011_220_528

/** Takes the lock until the end of the transaction; the next holder sees its changes. */
export async function waitForAuditLock(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
}

/** Takes the lock if it is free; returns false if another process holds it. */
export async function tryAuditLock(tx: Transaction): Promise<boolean> {
  const [row] = await tx.execute<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as held`,
  )
  return row?.held === true
}
