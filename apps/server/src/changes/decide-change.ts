import { PmlError, type Integrity } from '@pml/core'
import type { ProofKind } from '@pml/core/approval-config'
import type { ShownStatus } from '@pml/core/schemas'
import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { change } from '../db/schema.ts'
import { requireSpecialist, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { findMismatch, findMissingProof, findWrongSpecialist, typeOfChange } from '../patterns/entitlement.ts'
import { findAsker } from './find-asker.ts'
import { shownStatus } from './shown-status.ts'

/** What a request says about the person who decides, besides its key. */
interface Decider {
  readonly approver?: string | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly proof?: ProofKind | undefined
}

/** A change whose row is locked until the decision commits. */
export interface OpenChange {
  readonly id: string
  readonly path: string
  readonly type: string
  readonly contentHash: Integrity
  readonly status: ShownStatus
  /** The database's clock. */
  readonly now: Date
  readonly specialist: string
}

interface Decision<Outcome> {
  readonly id: string
  readonly decider: Decider
  /** Whether an asker of the change may take this decision. */
  readonly mayBeAsker: boolean
  decide(tx: Transaction, found: OpenChange): Promise<Outcome>
}

/**
 * Runs a decision in one transaction. A caller who may not decide is refused, and the audit log keeps the attempt.
 */
export async function decideChange<Outcome>(
  { db, config, announce }: Pick<Approvals, 'db' | 'config' | 'announce'>,
  actor: Actor,
  { id, decider, mayBeAsker, decide }: Decision<Outcome>,
): Promise<Outcome> {
  const specialist = requireSpecialist(actor)
  if (id.includes('\0')) throw unknownChange(id)
  const result = await db.orm.transaction(async (tx) => {
    const found = await lockChange(tx, id, specialist)
    const refusal = await findRefusal(tx, found)
    if (!refusal) return { outcome: await decide(tx, found) }
    const { path, contentHash } = found
    await recordEvent(tx, actor, {
      action: `change.${refusal.code}`,
      subject: id,
      detail: { path, contentHash, specialist, ...decider },
    })
    return { refusal }
  })
  announce()
  if ('refusal' in result) throw result.refusal
  return result.outcome

  async function findRefusal(tx: Transaction, found: OpenChange): Promise<PmlError | undefined> {
    const refusal =
      findMismatch(decider.approver, specialist) ??
      findWrongSpecialist(specialist, typeOfChange(config(), found)) ??
      (mayBeAsker ? undefined : findMissingProof(decider.proof, typeOfChange(config(), found)))
    if (refusal) return refusal
    if (mayBeAsker) return undefined
    const { operators } = config()
    const asker = await findAsker(tx, { changeId: id, keyId: actor.id, ...decider, operators })
    return asker === undefined ? undefined : selfApproval(id, asker)
  }
}

async function lockChange(tx: Transaction, id: string, specialist: string): Promise<OpenChange> {
  const { path, type, contentHash } = change
  const now = sql<Date>`clock_timestamp()`.mapWith(change.blockedAt)
  const [row] = await tx
    .select({ id: change.id, path, type, contentHash, status: shownStatus, now })
    .from(change)
    .where(eq(change.id, id))
    .for('update')
  if (!row) throw unknownChange(id)
  return { ...row, specialist }
}

export function unknownChange(id: string): PmlError {
  return new PmlError('not_found', `There is no change '${id.slice(0, 64)}'; approval_list lists all changes`)
}

export function alreadyDecided({ id, status }: Pick<OpenChange, 'id' | 'status'>, verb: string): PmlError {
  return new PmlError('already_decided', `Cannot ${verb} change ${id}: it is ${status} already`, {
    status,
  })
}

function selfApproval(id: string, asker: string): PmlError {
  return new PmlError(
    'self_approval',
    `Cannot approve change ${id}: ${asker}; use another person's key, made before the request or by an operator of config/approvals.json`,
  )
}
