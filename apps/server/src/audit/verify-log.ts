import { PmlError } from '@pml/core'
import {
  createAuditVerifier,
  createSignatureCheck,
  genesis,
  headText,
  type AuditCheckpoint,
  type AuditHead,
  type AuditProblem,
  type AuditVerdict,
  type LogSigner,
} from '@pml/core/audit'
import { and, asc, eq, gt, isNull, lte, max, min, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditEvent, auditLink, auditPending } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { readSignedCheckpoint, requireCurrentKey } from './log-key.ts'
import { readCheckpoint, readHead } from './read-head.ts'
import { readRows } from './read-rows.ts'
import { sealPending } from './seal-events.ts'

interface Verification {
  readonly expectedHead?: AuditHead | undefined
  /** The key that the caller pinned; defaults to this registry's key. */
  readonly key?: string | undefined
  readonly allowUnsigned?: boolean | undefined
  readonly signal: AbortSignal
}

/** The verdict, with the registry's signature of the head for the caller to keep. */
interface SignedVerdict extends AuditVerdict {
  readonly key: string
  /** Null if the verification failed. */
  readonly signature: string | null
}

const LOOKED_AT = 10_000
const MOST_TRIES = 3
const MOST_UNSEALED = 100

/** Recomputes the hash of every row, and looks for events that are missing from the chain. */
export async function verifyLog(
  { db, signer }: { db: Database; signer: LogSigner },
  actor: Actor,
  { expectedHead, signal, key = signer.key, allowUnsigned }: Verification,
): Promise<SignedVerdict> {
  requireScope(actor, 'approve')
  const keys = await requireCurrentKey(db.orm, signer)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await sealPending(db)
    const checkpoint = await readSignedCheckpoint(db.orm, signer)
    const verdict = await verifyRows(db, checkpoint, { expectedHead, signal })
    const signatures = createSignatureCheck({ key, allowUnsigned })
    const signature = signer.sign(headText(signer.origin, verdict.head))
    signatures.begin(keys, checkpoint)
    signatures.end(verdict.head, signature)
    const problems = [...(await findUnsealed(db, signal)), ...signatures.problems(), ...verdict.problems]
    const ok = problems.length === 0
    // A rotation during the verification removes rows legitimately.
    const isOvertaken = (await readCheckpoint(db.orm))?.seq !== checkpoint?.seq
    if (isOvertaken) continue
    return {
      ...verdict,
      ok,
      problems,
      warnings: [...signatures.warnings(), ...verdict.warnings],
      signedBy: signatures.signedBy,
      key: signer.key,
      signature: ok ? signature : null,
    }
  }
  throw new PmlError('unavailable', 'Cannot verify the log: it was rotated during every attempt; try again')
}

async function verifyRows(
  db: Database,
  checkpoint: AuditCheckpoint | null,
  { expectedHead, signal }: Verification,
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

/** Finds events outside the chain. All pending events were just sealed, so these were tampered with. */
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
    problem: `event ${row.eventId} was removed before it was sealed`,
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
        problem: `event ${event.id} (${event.action}) is missing from the chain: its link was removed`,
      })
  }
  return found
}
