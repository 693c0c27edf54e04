import {
  genesis,
  headText,
  printAuditEnd,
  printAuditHeader,
  printAuditRow,
  type AuditCheckpoint,
  type AuditFileHeader,
  type AuditHead,
  type LogSigner,
} from '@pml/core/audit'
import type { Database } from '../db/connect.ts'
import { requireReadAll, requireScope, type Actor } from '../keys/actor.ts'
import { readSignedCheckpoint, requireCurrentKey } from './log-key.ts'
import { readCheckpoint, readHead } from './read-head.ts'
import { readRows } from './read-rows.ts'
import { sealPending } from './seal-events.ts'

/**
 * Exports the log up to now as lines, in batches. Holds no transaction while a slow reader reads: rows between the
 * checkpoint and the head never change.
 */
export async function exportAudit(
  db: Database,
  signer: LogSigner,
  actor: Actor,
): Promise<AsyncIterable<string>> {
  requireScope(actor, 'approve')
  // The log verifies only as a whole, and contains private names.
  requireReadAll(actor)
  const keys = await requireCurrentKey(db.orm, signer)
  await sealPending(db)
  const checkpoint = await readSignedCheckpoint(db.orm, signer)
  const head = await readHead(db.orm)
  return linesOf(db, { keys, checkpoint, head, signature: signer.sign(headText(signer.origin, head)) })
}

interface Export extends AuditFileHeader {
  readonly head: AuditHead
  readonly signature: string
}

async function* linesOf(db: Database, { keys, checkpoint, head, signature }: Export): AsyncGenerator<string> {
  yield `${printAuditHeader({ keys, checkpoint })}\n`
  const { seq: start } = checkpoint ?? genesis
  let count = 0
  for (let after = start; after < head.seq;) {
    const rows = await readRows(db, { after, until: head.seq })
    if (rows.length === 0) break
    yield rows.map((row) => `${printAuditRow(row)}\n`).join('')
    count += rows.length
    after = rows.at(-1)?.seq ?? head.seq
  }
  if (count < head.seq - start) await requireUnrotated(db, checkpoint)
  yield `${printAuditEnd(head, count, signature)}\n`
}

/** Throws if retention removed rows during the export, which would then look tampered with. */
async function requireUnrotated(db: Database, checkpoint: AuditCheckpoint | null): Promise<void> {
  const now = await readCheckpoint(db.orm)
  if (now?.seq !== checkpoint?.seq)
    throw new Error('Cannot finish the export: old events were removed while it was read; export again')
}
