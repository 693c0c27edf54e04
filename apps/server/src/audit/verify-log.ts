import { PmlError } from '@pml/core'
import {
  createAuditVerifier,
  genesis,
  type AuditCheckpoint,
  type AuditHead,
  type AuditProblem,
  type AuditVerdict,
} from '@pml/core/audit'
import { and, asc, eq, gt, isNull, lte, max, min, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditEvent, auditLink, auditPending } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { readCheckpoint, readHead } from './read-head.ts'
import { readRows } from './read-rows.ts'
import { sealPending } from './seal-events.ts'

export interface VerifyWish {
  readonly expectedHead: AuditHead | undefined
  readonly signal: AbortSignal
}

const LOOKED_AT = 10_000
const MOST_TRIES = 3
const MOST_UNSEALED = 100

/** Hashes every row of the log anew, and looks for events that have no place in it. */
export async function verifyLog(
  db: Database,
  actor: Actor,
  { expectedHead, signal }: VerifyWish,
): Promise<AuditVerdict> {
  requireScope(actor, 'approve')
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await sealPending(db)
    const checkpoint = await readCheckpoint(db.orm)
    const verdict = await verifyRows(db, checkpoint, { expectedHead, signal })
    const problems = [...(await findUnsealed(db, signal)), ...verdict.problems]
    // What a rotation removed meanwhile was not tampered with.
    const isOvertaken = (await readCheckpoint(db.orm))?.seq !== checkpoint?.seq
    if (!isOvertaken) return { ...verdict, ok: problems.length === 0, problems }
  }
  throw new PmlError('unavailable', 'Cannot verify the log: it is rotated all the time; try again')
}

async function verifyRows(
  db: Database,
  checkpoint: AuditCheckpoint | null,
  { expectedHead, signal }: VerifyWish,
): Promise<AuditVerdict> {
  const verifier = createAuditVerifier({ expectedHead })
  const head = await readHead(db.orm)
  verifier.begin(checkpoint)
  for (let after = (checkpoint ?? genesis).seq; after < head.seq;) {
    signal.throwIfAborted()
    const rows = await readRows(db, { after, until: head.seq })
    for (const row of rows) verifier.row(row)
    after = rows.at(-1)?.seq ?? head.seq
  }
  return verifier.finish()
}

/** Everything that waited was sealed just now: what still has no place was taken out of the chain, or from before it. */
async function findUnsealed(db: Database, signal: AbortSignal): Promise<AuditProblem[]> {
  return [...(await findTaken(db)), ...(await findUnlinked(db, signal))]
}

async function findTaken({ orm }: Database): Promise<AuditProblem[]> {
  const { eventId } = auditPending
  const rows = await orm
    .select({ eventId })
    .from(auditPending)
    .leftJoin(auditEvent, eq(auditEvent.id, eventId))
    .where(isNull(auditEvent.id))
    .orderBy(asc(eventId))
    .limit(MOST_UNSEALED)
  return rows.map((row) => ({
    seq: null,
    problem: `event ${row.eventId} was removed before it had its place in the log`,
  }))
}

async function findUnlinked({ orm }: Database, signal: AbortSignal): Promise<AuditProblem[]> {
  const { id, at, action } = auditEvent
  const [row] = await orm.select({ first: min(id), last: max(id) }).from(auditEvent)
  const { first, last } = { first: row?.first ?? 0, last: row?.last ?? 0 }
  const found: AuditProblem[] = []
  for (let after = first - 1; after < last && found.length < MOST_UNSEALED; after += LOOKED_AT) {
    signal.throwIfAborted()
    const events = await orm
      .select({ id, action })
      .from(auditEvent)
      .leftJoin(auditLink, eq(auditLink.eventId, id))
      .where(
        and(
          gt(id, after),
          lte(id, after + LOOKED_AT),
          isNull(auditLink.seq),
          sql`${at} < clock_timestamp() - interval '1 minute'`,
        ),
      )
      .orderBy(asc(id))
      .limit(MOST_UNSEALED)
    for (const event of events)
      found.push({
        seq: null,
        problem: `event ${event.id} (${event.action}) has no place in the log: its link was removed`,
      })
  }
  return found
}
