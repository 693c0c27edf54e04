import { contentHashOf, isCommentIn, isToken, markersIn } from '@pml/core/approvals'
import type { Spending, Spent } from '@pml/core/schemas'
import type { Event } from '../db/record-event.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { hashToken } from './approve-change.ts'
import type { Approvals } from './approvals.ts'
import { requireContent } from './content-limit.ts'
import { patternTypeOf } from './entitlement.ts'
import { findRefusalReason } from './find-refusal-reason.ts'
import type { HeldPatterns } from './patterns/live-patterns.ts'
import type { PatternVerdict } from './patterns/pattern-set.ts'
import { usePattern } from './patterns/use-pattern.ts'
import { blockedBy } from './refusals.ts'
import { tellOwn, tellRefused, type Attempt } from './tell-refused.ts'

/** More than any file has of approvals that were used. */
const MOST_MARKERS = 50

/**
 * Lets content pass, once for each approval. The approval is found by the content and its path; a token, given or as a
 * marker in the content, must be the one of the approval.
 */
export async function spendApproval(approvals: Approvals, actor: Actor, wish: Spending): Promise<Spent> {
  requireScope(actor, 'hook')
  requireContent(wish.content)
  const markers = markersIn(wish.content)
  const tokens = wish.token === undefined ? markers.map(({ token }) => token) : [wish.token]
  if (tokens.length > 0) approvals.guesses.require(actor.id)
  const attempt = attemptOf(approvals, actor, { ...wish, tokens })
  if (wish.token !== undefined && !isToken(wish.token))
    throw await tellRefused(approvals, attempt, 'not_approved')
  // What is taken for a marker and is code in this kind of file was never part of what was approved.
  if (markers.length > MOST_MARKERS || markers.some((marker) => !isCommentIn(wish.path, marker)))
    throw await tellRefused(approvals, attempt, 'content_mismatch')
  return spend(approvals, attempt, approvals.patterns.held)
}

/**
 * The same where an approval is there for this very content, and undefined, with nothing written, where more has to be
 * looked at: a marker, a pattern, or why there is none. The events are written down with it.
 */
export async function findAndSpend(
  approvals: Approvals,
  actor: Actor,
  { events, ...wish }: Omit<Spending, 'token'> & { readonly events: readonly Event[] },
): Promise<Spent | undefined> {
  requireScope(actor, 'hook')
  requireContent(wish.content)
  if (markersIn(wish.content).length > 0) return undefined
  const attempt = attemptOf(approvals, actor, { ...wish, tokens: [] })
  return (await spendHeld(approvals, attempt, { patterns: approvals.patterns.held, events })).spent
}

function attemptOf(
  { config }: Approvals,
  actor: Actor,
  { tokens, ...wish }: Spending & { readonly tokens: readonly string[] },
): Attempt {
  return {
    ...wish,
    keyId: actor.id,
    contentHash: contentHashOf(wish.content),
    type: patternTypeOf(config().typeOf(wish.path)),
    tokenHashes: tokens.slice(0, MOST_MARKERS).map(hashToken),
    hasToken: wish.token !== undefined,
  }
}

/** With the patterns in memory, and again with the current ones when they turn out to be others. */
async function spend(approvals: Approvals, attempt: Attempt, patterns: HeldPatterns): Promise<Spent> {
  const { spent, verdict } = await spendHeld(approvals, attempt, { patterns, events: [] })
  if (spent) return spent
  const current = await approvals.patterns.current()
  if (current.revision !== patterns.revision) return spend(approvals, attempt, current)
  if (verdict.blockedBy !== undefined)
    throw await tellRefused(approvals, attempt, 'blocked_pattern', blockedBy(verdict.blockedBy))
  const { reason, isInvented, isRejected } = await findRefusalReason(approvals.db, attempt)
  // Markers of approvals that were used long ago stay in files; they say nothing about this one.
  if (reason === 'only_old_markers') return spend(approvals, { ...attempt, tokenHashes: [] }, current)
  if (reason === 'own_approval') throw await tellOwn(approvals, attempt)
  if (verdict.approvedBy && !attempt.hasToken && !isRejected)
    return usePattern(approvals, attempt, { ...verdict.approvedBy, revision: current.revision })
  throw await tellRefused(approvals, { ...attempt, hasToken: attempt.hasToken || isInvented }, reason)
}

async function spendHeld(
  approvals: Approvals,
  attempt: Attempt,
  { patterns, events }: { readonly patterns: HeldPatterns; readonly events: readonly Event[] },
): Promise<{ readonly spent?: Spent; readonly verdict: PatternVerdict }> {
  const { content, contentHash, type } = attempt
  const verdict = await patterns.findByHash({ hash: contentHash, type }, async () => content)
  if (verdict.blockedBy !== undefined) return { verdict }
  const used = await approvals.spendOnce({ ...attempt, revision: patterns.revision, events })
  if (!used) return { verdict }
  const { id, specialist } = used
  return { verdict, spent: { approved: true, via: 'token', changeId: id, pattern: null, specialist } }
}
