import { createHash, randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import { instructionFor, printToken } from '@pml/core/approvals'
import { LONGEST_EXPIRY_SECONDS } from '@pml/core/approval-config'
import type { Approved, NewApproval } from '@pml/core/schemas'
import { eq, sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import type { Transaction } from '../db/connect.ts'
import { change } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { alreadyDecided, decideChange, type OpenChange } from './decide-change.ts'
import { compileWish, insertPattern, requireOthers } from './patterns/add-pattern.ts'
import { readContent } from './read-content.ts'
import { blockedBy } from './refusals.ts'

/** 128 bits. */
const RANDOM_BYTES = 16

/** A yes to exactly this content for exactly this path, once, for a while. The token is in the answer and nowhere else. */
export async function approveChange(
  approvals: Approvals,
  actor: Actor,
  { id, wish: { reason, pattern, ttlSeconds, ...decider } }: { id: string; wish: NewApproval },
): Promise<Approved> {
  if (pattern !== undefined) requireScope(actor, 'pattern')
  const { config } = approvals
  const patterns = await approvals.patterns.current()
  return decideChange(approvals, actor, {
    id,
    decider,
    mayBeAsker: false,
    decide: async (tx, found) => {
      if (found.status !== 'blocked' && found.status !== 'expired') throw alreadyDecided(found, 'approve')
      const content = await readContent(tx, id)
      if (content === undefined) throw unseen(id)
      const { blockedBy: blocking } = await patterns.find(content, found.type)
      if (blocking !== undefined) throw blockedBy(blocking)
      const type = config().findType(found.type) ?? config().typeOf(found.path)
      const seconds = Math.min(ttlSeconds ?? type.expirySeconds, LONGEST_EXPIRY_SECONDS)
      const approved = await store(tx, actor, { found, reason, seconds })
      if (pattern === undefined) return approved
      const wish = { kind: 'approve', type: found.type, pattern, reason, example: content } as const
      const compiled = compileWish(wish)
      await requireOthers(tx, actor, compiled)
      return { ...approved, pattern: await insertPattern(tx, actor, wish) }
    },
  })
}

/** Of an import only the hash is known: nobody can have read what it stands for. */
function unseen(id: string): PmlError {
  return new PmlError(
    'not_approved',
    `Cannot approve change ${id}: its content was never sent; have the hook send it`,
  )
}

async function store(
  tx: Transaction,
  actor: Actor,
  { found, reason, seconds }: { found: OpenChange; reason: string; seconds: number },
): Promise<Approved> {
  const { id, path, type, contentHash, specialist, now } = found
  const token = printToken({
    specialist,
    date: now.toISOString().slice(0, 10).replaceAll('-', ''),
    contentHash,
    random: randomBytes(RANDOM_BYTES).toString('hex'),
  })
  const [row] = await tx
    .update(change)
    .set({
      status: 'approved',
      tokenHash: hashToken(token),
      expiresAt: sql`clock_timestamp() + make_interval(secs => ${seconds})`,
      decidedAt: sql`clock_timestamp()`,
      decidedBy: actor.id,
      specialist,
      reason,
    })
    .where(eq(change.id, id))
    .returning({ expiresAt: change.expiresAt })
  const expires = row?.expiresAt?.toISOString()
  if (expires === undefined) throw new PmlError('internal_error', `Cannot approve change ${id}`)
  await recordEvent(tx, actor, {
    action: 'change.approve',
    subject: id,
    detail: { path, contentHash, type, specialist, reason, expires },
  })
  return { id, token, expires, instruction: instructionFor(path, specialist, token) }
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
