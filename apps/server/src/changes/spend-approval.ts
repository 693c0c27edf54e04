import { PmlError } from '@pml/core'
import { contentHashOf, findMarkers, isToken } from '@pml/core/approvals'
import type { Spending, Spent } from '@pml/core/schemas'
import type { Event } from '../db/record-event.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { hashToken } from './approve-change.ts'
import type { Approvals } from './approvals.ts'
import { requireContent } from './content-limit.ts'
import { patternTypeOf } from '../patterns/entitlement.ts'
import { findRefusalReason, type Refused } from './find-refusal-reason.ts'
import type { HeldPatterns } from '../patterns/live-patterns.ts'
import type { PatternVerdict } from '../patterns/pattern-set.ts'
import { isOwnPattern, usePattern } from '../patterns/use-pattern.ts'
import { blockedBy } from './refusals.ts'
import { spendAll, type SpentChange } from './spend-once.ts'
import { recordOwnApproval, recordRefusal, type Attempt, type Claim } from './record-refusal.ts'

/**
 * Uses up an approval to allow one write. The approval must match the content, path and project, or the content without
 * one marker that holds its token. A token given beside the content must be the approval's.
 */
export async function spendApproval(approvals: Approvals, actor: Actor, request: Spending): Promise<Spent> {
  const attempt = attemptOf(approvals, actor, request)
  if (attempt.tokenHashes.length > 0) approvals.guesses.require(actor.id)
  if (request.token !== undefined && !isToken(request.token))
    throw await recordRefusal(approvals, attempt, 'not_approved')
  return spend(approvals, attempt, approvals.patterns.held)
}

/**
 * Uses up an approval of exactly these bytes, and writes the events in the same statement. Returns undefined and writes
 * nothing if there is none; the caller then looks for markers and patterns.
 */
export async function findAndSpend(
  approvals: Approvals,
  actor: Actor,
  { events, ...request }: Omit<Spending, 'token'> & { readonly events: readonly Event[] },
): Promise<Spent | undefined> {
  const attempt = attemptOf(approvals, actor, request)
  const patterns = approvals.patterns.held
  const verdict = await verdictOf(patterns, attempt)
  if (verdict.blockedBy !== undefined) return undefined
  const used = await approvals.spendOnce({
    ...attempt,
    tokenHash: undefined,
    revision: patterns.revision,
    events,
  })
  return used && byToken(used)
}

/** Allows all writes of one call, in one transaction, or none of them. */
export async function spendTogether(
  approvals: Approvals,
  actor: Actor,
  requests: readonly Spending[],
): Promise<readonly Spent[]> {
  const patterns = await approvals.patterns.current()
  const { revision } = patterns
  const attempts = distinct(requests).map((request) => attemptOf(approvals, actor, request))
  const ways = await Promise.all(attempts.map((attempt) => findWay(approvals, attempt, patterns)))
  for (const { attempt, verdict, claim } of ways)
    if (verdict.blockedBy !== undefined || !(claim ?? verdict.approvedBy))
      throw await refusalOf(approvals, attempt, verdict)
  const claimed = ways.flatMap(({ attempt, claim }) =>
    claim ? [{ ...attempt, ...claim, revision, events: [] }] : [],
  )
  // A fixed order of row locks prevents deadlocks.
  const byPattern = ways
    .flatMap(({ attempt, claim, verdict: { approvedBy } }) =>
      !claim && approvedBy ? [{ attempt, approvedBy }] : [],
    )
    .toSorted((a, b) => (a.approvedBy.id < b.approvedBy.id ? -1 : 1))
  try {
    return await approvals.db.sql.begin(async (tx) => {
      const used = await spendAll(tx, claimed)
      const spent = used.map(byToken)
      for (const { attempt, approvedBy } of byPattern) {
        const passed = await usePattern(tx, attempt, { ...approvedBy, revision })
        if (passed) spent.push(passed)
      }
      if (spent.length < ways.length) throw interrupted()
      return spent
    })
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    throw (await findChanged(approvals, ways, patterns)) ?? error
  }
}

/** How an attempt is allowed: by a valid approval or by a pattern. */
interface Way {
  readonly attempt: Attempt
  readonly verdict: PatternVerdict
  readonly claim: Claim | undefined
}

async function findWay({ findApproval }: Approvals, attempt: Attempt, patterns: HeldPatterns): Promise<Way> {
  const { approvedBy, ...verdict } = await verdictOf(patterns, attempt)
  for (const claim of attempt.claims) {
    const { change } = await findApproval({ ...claim, path: attempt.path, project: attempt.project })
    if (change?.isLive) return { attempt, claim, verdict }
    if (change?.isRejected) return { attempt, claim: undefined, verdict }
  }
  return { attempt, claim: undefined, verdict: { ...verdict, ...(approvedBy && { approvedBy }) } }
}

/** Returns the error of the first attempt that is no longer allowed. */
async function findChanged(
  approvals: Approvals,
  ways: readonly Way[],
  patterns: HeldPatterns,
): Promise<PmlError | undefined> {
  for (const { attempt, claim, verdict } of ways) {
    if (claim && !(await findWay(approvals, attempt, patterns)).claim)
      return refusalOf(approvals, attempt, verdict)
    const { reason } = await findRefusalReason(approvals.db, attempt)
    if (reason === 'own_approval' || (!claim && (await isOwnPattern(approvals.db, attempt, verdict))))
      return recordOwnApproval(approvals, attempt)
  }
  return undefined
}

function interrupted(): PmlError {
  return new PmlError(
    'not_approved',
    'Cannot write these files together: an approval was used or withdrawn in the meantime; try again',
  )
}

/** Drops repeated writes of the same content to the same path and project. */
function distinct(requests: readonly Spending[]): readonly Spending[] {
  return [
    ...new Map(
      requests.map((request) => [JSON.stringify([request.project, request.path, request.content]), request]),
    ).values(),
  ]
}

function attemptOf(
  { config }: Approvals,
  actor: Actor,
  { token, project = '', ...request }: Spending,
): Attempt {
  requireScope(actor, 'hook')
  requireContent(request.content)
  const contentHash = contentHashOf(request.content)
  const markers = findMarkers(request.path, request.content).filter(
    (marker) => marker.token === (token ?? marker.token),
  )
  const given = token === undefined ? undefined : hashToken(token)
  const marked: readonly Claim[] = markers.flatMap((marker) =>
    marker.originals.map((original) => ({
      contentHash: contentHashOf(original),
      tokenHash: hashToken(marker.token),
    })),
  )
  const tokenHashes = new Set([given, ...marked.map(({ tokenHash }) => tokenHash)])
  return {
    ...request,
    project,
    keyId: actor.id,
    contentHash,
    claims: [{ contentHash, tokenHash: given }, ...marked],
    type: patternTypeOf(config().typeOf(request.path)),
    tokenHashes: [...tokenHashes].filter((hash) => hash !== undefined),
    hasToken: token !== undefined,
  }
}

function verdictOf(patterns: HeldPatterns, { content, contentHash, type }: Attempt): Promise<PatternVerdict> {
  return patterns.findByHash({ hash: contentHash, type }, async () => content)
}

/** Tries with the patterns in memory, and again with the current ones if they have changed. */
async function spend(approvals: Approvals, attempt: Attempt, patterns: HeldPatterns): Promise<Spent> {
  const verdict = await verdictOf(patterns, attempt)
  const claims = verdict.blockedBy === undefined ? attempt.claims : []
  for (const claim of claims) {
    const used = await approvals.spendOnce({ ...attempt, ...claim, revision: patterns.revision, events: [] })
    if (used) return byToken(used)
  }
  const current = await approvals.patterns.current()
  if (current.revision !== patterns.revision) return spend(approvals, attempt, current)
  const refused = await findRefusalReason(approvals.db, attempt)
  const isAsked = verdict.approvedBy && !attempt.hasToken && !refused.isRejected
  if (!isAsked || refused.reason === 'own_approval')
    throw await refusalOf(approvals, attempt, verdict, refused)
  const passed = await usePattern(approvals.db.sql, attempt, {
    ...verdict.approvedBy,
    revision: current.revision,
  })
  if (passed) return passed
  throw (await isOwnPattern(approvals.db, attempt, verdict))
    ? await recordOwnApproval(approvals, attempt)
    : interrupted()
}

/** Records a refused attempt and returns its error. */
async function refusalOf(
  approvals: Approvals,
  attempt: Attempt,
  { blockedBy: pattern }: PatternVerdict,
  known?: Refused,
): Promise<PmlError> {
  if (pattern !== undefined) return recordRefusal(approvals, attempt, 'blocked_pattern', blockedBy(pattern))
  const { reason, isInvented } = known ?? (await findRefusalReason(approvals.db, attempt))
  if (reason === 'own_approval') return recordOwnApproval(approvals, attempt)
  return recordRefusal(approvals, { ...attempt, hasToken: attempt.hasToken || isInvented }, reason)
}

function byToken({ id, specialist }: SpentChange): Spent {
  return { approved: true, via: 'token', changeId: id, pattern: null, specialist }
}
