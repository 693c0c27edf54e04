import { createHash, randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import { instructionFor, printToken } from '@pml/core/approvals'
import { LONGEST_EXPIRY_SECONDS, type ProofKind } from '@pml/core/approval-config'
import { LONGEST_EXAMPLE, type Approved, type NewApproval } from '@pml/core/schemas'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import type { Transaction } from '../db/connect.ts'
import { change } from '../db/schema.ts'
import { requireScope, requireSpecialist, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { alreadyDecided, decideChange, type OpenChange } from './decide-change.ts'
import { typeOfChange } from '../patterns/entitlement.ts'
import { judgeChange } from './judge-change.ts'
import { compileRequested, insertPattern } from '../patterns/add-pattern.ts'
import { requireNoAsker } from '../patterns/require-no-asker.ts'
import { blockedBy } from './refusals.ts'

/** 128 bits. */
const RANDOM_BYTES = 16

/** Approves one write of this content to this path, for a limited time. Only the response holds the token; the database keeps its hash. */
export async function approveChange(
  approvals: Approvals,
  actor: Actor,
  { id, request: { reason, pattern, ttlSeconds, ...decider } }: { id: string; request: NewApproval },
): Promise<Approved> {
  requireSpecialist(actor)
  if (pattern !== undefined) requireScope(actor, 'pattern')
  const { content, verdict } = await judgeChange(approvals, id)
  const example = content === undefined || pattern === undefined ? undefined : exampleOf(content)
  return decideChange(approvals, actor, {
    id,
    decider,
    mayBeAsker: false,
    decide: async (tx, found) => {
      if (found.status !== 'blocked' && found.status !== 'expired') throw alreadyDecided(found, 'approve')
      if (content === undefined) throw unseen(id)
      if (verdict.blockedBy !== undefined) throw blockedBy(verdict.blockedBy)
      const { expirySeconds } = typeOfChange(approvals.config(), found)
      const seconds = Math.min(ttlSeconds ?? expirySeconds, LONGEST_EXPIRY_SECONDS)
      const approved = await store(tx, actor, { found, reason, seconds, proof: decider.proof })
      if (pattern === undefined || example === undefined) return approved
      const request = { kind: 'approve', type: found.type, pattern, reason, example } as const
      compileRequested(request)
      await requireNoAsker(tx, actor, approvals.config().operators)
      return { ...approved, pattern: await insertPattern(tx, actor, request) }
    },
  })
}

/** Returns the content as the pattern's example, which every list of patterns shows. */
function exampleOf(content: string): string {
  if (content.length <= LONGEST_EXAMPLE) return content
  throw new PmlError(
    'invalid_pattern',
    `Cannot add the pattern: its example would be the content, which has more than ${LONGEST_EXAMPLE} characters; approve without a pattern`,
  )
}

/** An imported change has only a hash, so no reviewer can have read its content. */
function unseen(id: string): PmlError {
  return new PmlError(
    'not_approved',
    `Cannot approve change ${id}: its content was never sent; have the hook send it`,
  )
}

interface Yes {
  readonly found: OpenChange
  readonly reason: string
  readonly seconds: number
  readonly proof: ProofKind | undefined
}

async function store(
  tx: Transaction,
  actor: Actor,
  { found, reason, seconds, proof }: Yes,
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
    .where(and(eq(change.id, id), inArray(change.status, ['blocked', 'approved'])))
    .returning({ expiresAt: change.expiresAt })
  const expires = row?.expiresAt?.toISOString()
  if (expires === undefined) throw new PmlError('internal_error', `Cannot approve change ${id}`)
  await recordEvent(tx, actor, {
    action: 'change.approve',
    subject: id,
    detail: { path, contentHash, type, specialist, reason, expires, ...(proof && { proof }) },
  })
  return { id, token, expires, instruction: instructionFor(path, specialist, token) }
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
