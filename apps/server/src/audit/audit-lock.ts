import { sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'

/** Any constant of its own: of several replicas one seals or rotates at a time. */
const ADVISORY_LOCK = 7_011_220_528

/** Held to the end of the transaction, whose changes are there for whoever gets it next. */
export async function waitForAuditLock(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
}

/** False where another process has it. */
export async function tryAuditLock(tx: Transaction): Promise<boolean> {
  const [row] = await tx.execute<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as held`,
  )
  return row?.held === true
}
