import { hashOfRow, type AuditHead, type AuditRow } from '@pml/core/audit'
import { asc, gt, inArray, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { auditEvent, auditLink, auditPending } from '../db/schema.ts'
import { tryAuditLock, waitForAuditLock } from './audit-lock.ts'
import { readHead } from './read-head.ts'
import { printed } from './read-rows.ts'

export const SEALED_CHANNEL = 'pml_sealed'
export const BATCH = 500

/** Appends all pending events to the chain; waits if another process is sealing. */
export async function sealPending(db: Database): Promise<void> {
  const seal = () =>
    db.orm.transaction(async (tx) => {
      await waitForAuditLock(tx)
      return sealBatch(tx)
    })
  while ((await seal()) === BATCH);
}

/** Seals one batch and returns its size; returns 0 if another process is sealing. */
export function trySealing(db: Database): Promise<number> {
  return db.orm.transaction(async (tx) => ((await tryAuditLock(tx)) ? sealBatch(tx) : 0))
}

/** Seals a batch in the transaction that holds the lock, so that each event is sealed exactly once. */
async function sealBatch(tx: Transaction): Promise<number> {
  const events = await readPending(tx)
  if (events.length === 0) return 0
  const head = await readHead(tx)
  const links = linksFor(events, head)
  // JSON takes one parameter instead of thousands.
  await tx.execute(sql`insert into ${auditLink} (seq, event_id, prev, hash)
    select * from jsonb_to_recordset(${JSON.stringify(links)})
      as link (seq bigint, event_id bigint, prev text, hash text)`)
  const linked = tx.select({ id: auditLink.eventId }).from(auditLink).where(gt(auditLink.seq, head.seq))
  await tx.delete(auditPending).where(inArray(auditPending.eventId, linked))
  await tx.execute(sql`select pg_notify(${SEALED_CHANNEL}, ${String(links.at(-1)?.seq)})`)
  return links.length
}

type Pending = Pick<AuditRow, 'at' | 'actor' | 'action' | 'subject' | 'detail'> & { readonly id: number }

async function readPending(tx: Transaction): Promise<Pending[]> {
  const { id, at, actor, action, subject, detail } = auditEvent
  const { eventId } = auditPending
  const next = tx
    .select({ eventId })
    .from(auditPending)
    // Skips pending rows whose event was removed, so that they do not block others.
    .where(sql`exists (select from audit_event where id = ${eventId} offset 0)`)
    .orderBy(asc(eventId))
    .limit(BATCH)
  const rows = await tx
    .select({ id, at, actor, action, subject, detail })
    .from(auditEvent)
    .where(inArray(id, next))
    .orderBy(asc(id))
  return rows.map(printed)
}

function linksFor(events: readonly Pending[], head: AuditHead) {
  let { seq, hash: prev } = head
  return events.map(({ id, ...event }) => {
    seq++
    const hash = hashOfRow({ ...event, seq, prev })
    const link = { seq, event_id: id, prev, hash }
    prev = hash
    return link
  })
}
