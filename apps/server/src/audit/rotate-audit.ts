import type { AuditHead, LogSigner } from '@pml/core/audit'
import { and, asc, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { dropContents } from './drop-contents.ts'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { auditCheckpoint, auditEvent, auditLink } from '../db/schema.ts'
import { forgetHookEvents } from './forget-hook-events.ts'
import { system } from '../keys/actor.ts'
import { waitForAuditLock } from './audit-lock.ts'
import { requireCurrentKey, signCheckpoint } from './log-key.ts'
import { readCheckpoint } from './read-head.ts'

const BATCH = 500
const LOOKED_AT = 10_000
const LEAST_DAYS = 1

/**
 * Writes a checkpoint before the first event that is younger than `retentionDays`, then removes the events it covers. If
 * it is interrupted in between, the next rotation continues the removal.
 */
export async function rotateAudit(
  db: Database,
  { retentionDays, signer }: { retentionDays: number; signer: LogSigner },
): Promise<{ removed: number }> {
  const days = Math.max(LEAST_DAYS, retentionDays)
  await db.orm.transaction(async (tx) => {
    await waitForAuditLock(tx)
    await coverOld(tx, { retentionDays: days, signer })
  })
  let removed = 0
  for (let gone = BATCH; gone === BATCH; removed += gone) gone = await db.orm.transaction(removeCovered)
  await forgetHookEvents(db, { days })
  await dropContents(db, { days })
  return { removed }
}

async function coverOld(
  tx: Transaction,
  { retentionDays, signer }: { retentionDays: number; signer: LogSigner },
): Promise<void> {
  await requireCurrentKey(tx, signer)
  const before = (await readCheckpoint(tx))?.seq ?? 0
  const last = await findLastOld(tx, before, retentionDays)
  if (!last) return
  const [row] = await tx.insert(auditCheckpoint).values(last).returning({ at: auditCheckpoint.at })
  if (!row) throw new Error('unreachable: the insert returned no row')
  await signCheckpoint(tx, signer, { ...last, at: row.at.toISOString() })
  await recordEvent(tx, system, {
    action: 'audit.rotate',
    subject: 'audit',
    detail: { checkpoint: last, events: last.seq - before, retentionDays },
  })
}

/** Finds the last expired link, searching from the start of the log because few links are expired. */
async function findLastOld(
  tx: Transaction,
  before: number,
  retentionDays: number,
): Promise<AuditHead | undefined> {
  for (let from = before; ; from += LOOKED_AT) {
    const young = await tx
      .select({ seq: auditLink.seq })
      .from(auditLink)
      .innerJoin(auditEvent, eq(auditEvent.id, auditLink.eventId))
      .where(
        and(
          gt(auditLink.seq, from),
          lte(auditLink.seq, from + LOOKED_AT),
          sql`${auditEvent.at} > clock_timestamp() - make_interval(secs => ${retentionDays * 86_400})`,
        ),
      )
      .orderBy(asc(auditLink.seq))
      .limit(1)
    const until = young[0] ? young[0].seq - 1 : from + LOOKED_AT
    const last = await findLastLink(tx, { after: before, until })
    if (young[0] || last?.seq !== until) return last
  }
}

async function findLastLink(
  tx: Transaction,
  { after, until }: { after: number; until: number },
): Promise<AuditHead | undefined> {
  const { seq, hash } = auditLink
  const [row] = await tx
    .select({ seq, hash })
    .from(auditLink)
    .where(and(gt(seq, after), lte(seq, until)))
    .orderBy(desc(seq))
    .limit(1)
  return row
}

async function removeCovered(tx: Transaction): Promise<number> {
  await waitForAuditLock(tx)
  const covered = tx
    .select({ seq: auditLink.seq })
    .from(auditLink)
    .where(lte(auditLink.seq, sql`(select max(seq) from audit_checkpoint)`))
    .orderBy(asc(auditLink.seq))
    .limit(BATCH)
  const links = await tx
    .delete(auditLink)
    .where(inArray(auditLink.seq, covered))
    .returning({ eventId: auditLink.eventId })
  if (links.length === 0) return 0
  await tx.delete(auditEvent).where(
    inArray(
      auditEvent.id,
      links.map(({ eventId }) => eventId),
    ),
  )
  return links.length
}
