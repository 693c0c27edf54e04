import { createHash, randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import { contentHashOf, shapeOf } from '@pml/core/approvals'
import { foldName } from '@pml/core/fold-name'
import type { BlockedChange, NewChange } from '@pml/core/schemas'
import { countInvisible } from '@pml/core/show-invisible'
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { change, changeContent, changeRequest } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { requireContent } from './content-limit.ts'
import { shownStatus } from './shown-status.ts'
import { takeRoom } from './take-room.ts'

const ID_BYTES = 8
/** Every asker is stored, because an asker may not approve. Real agents stay far below this limit. */
const MOST_ASKERS = 1000

/** Stores a blocked write. While a change is open, the same content for the same path and project joins it. */
export async function blockChange(
  { db, config, announce }: Pick<Approvals, 'db' | 'config' | 'announce'>,
  actor: Actor,
  { tool, path, project = '', content, agent = '', session = '' }: NewChange,
): Promise<BlockedChange & { readonly isNew: boolean }> {
  requireScope(actor, 'hook')
  const bytes = requireContent(content)
  const type = config().typeOf(path)
  const contentHash = contentHashOf(content)
  const values = {
    id: `chg_${randomBytes(ID_BYTES).toString('hex')}`,
    contentHash,
    path,
    project,
    tool,
    type: type.name,
    askedBy: actor.id,
    sizeBytes: bytes.length,
    invisible: countInvisible(content),
    shape: digestOf(shapeOf(content)),
  }
  const blocked = await db.orm.transaction(async (tx) => {
    const { id, status, isNew, isReopened } = await open(tx, values)
    const isKept = await keep(tx, id, bytes)
    if (isKept && !isNew) await describe(tx, id, values)
    if (isKept) await takeRoom(tx, { keyId: actor.id, bytes: bytes.length, limits: config().limits })
    const isNewAsker = await keepAsker(tx, { changeId: id, keyId: actor.id, agent, session })
    if (isNewAsker || isReopened)
      await recordEvent(tx, actor, {
        action: 'change.block',
        subject: id,
        detail: { path, contentHash, tool, type: type.name, isNew, ...nonEmpty({ project, agent, session }) },
      })
    return { id, contentHash, status, path, type: type.name, specialists: [...type.specialists], isNew }
  })
  announce()
  return blocked
}

/** Inserts or finds the change and locks its row, so that it cannot be decided while an asker is added. */
async function open(tx: Transaction, values: typeof change.$inferInsert) {
  const [row] = await tx
    .insert(change)
    .values(values)
    .onConflictDoUpdate({
      target: [change.contentHash, change.path, change.project],
      targetWhere: sql`status in ('blocked', 'approved')`,
      set: { tool: values.tool },
    })
    .returning({ id: change.id, status: shownStatus, isNew: sql<boolean>`xmax = 0` })
  if (!row) throw new Error('unreachable: an upsert returns its row')
  if (row.status !== 'expired') return { ...row, isReopened: false }
  await tx
    .update(change)
    .set({ status: 'blocked', blockedAt: sql`clock_timestamp()`, ...undecided })
    .where(and(eq(change.id, row.id), eq(change.status, 'approved')))
  return { ...row, status: 'blocked' as const, isReopened: true }
}

interface Asker {
  readonly changeId: string
  readonly keyId: string
  readonly agent: string
  readonly session: string
}

/** Adds an asker; returns false if it is stored already. The caller holds the change's row lock, so the count cannot go stale. */
async function keepAsker(tx: Transaction, asker: Asker): Promise<boolean> {
  const added = await tx
    .insert(changeRequest)
    .values({ ...asker, agentFold: foldName(asker.agent), sessionFold: foldName(asker.session) })
    .onConflictDoNothing()
    .returning({ id: changeRequest.changeId })
  if (added.length === 0) return false
  const askers = await tx.$count(changeRequest, eq(changeRequest.changeId, asker.changeId))
  if (askers <= MOST_ASKERS) return true
  throw new PmlError(
    'too_many_changes',
    `Cannot keep the change: ${MOST_ASKERS} agents and sessions have already asked for ${asker.changeId}; approve or reject it first`,
    { limit: MOST_ASKERS, retryAfter: 60 },
  )
}

/** Clears the decision of a reopened change. The audit log still has it. */
const undecided = {
  tokenHash: null,
  expiresAt: null,
  decidedAt: null,
  decidedBy: null,
  specialist: null,
  reason: null,
}

/** Stores the content; returns false if it is stored already. */
async function keep(tx: Transaction, changeId: string, bytes: Buffer): Promise<boolean> {
  const kept = await tx
    .insert(changeContent)
    .values({ changeId, bytes })
    .onConflictDoNothing()
    .returning({ id: changeContent.changeId })
  return kept.length > 0
}

/** Fills in what depends on the content, for a change that was imported or whose content was dropped. */
async function describe(tx: Transaction, id: string, values: typeof change.$inferInsert): Promise<void> {
  const { sizeBytes, invisible, shape, askedBy } = values
  await tx
    .update(change)
    .set({ sizeBytes, invisible, shape, askedBy, contentDroppedAt: null })
    .where(eq(change.id, id))
}

function digestOf(shape: string | undefined): string | null {
  return shape === undefined ? null : createHash('sha256').update(shape).digest('hex')
}

function nonEmpty(known: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(known).filter(([, text]) => text !== ''))
}
