import { contentHashOf, findMarkers } from '@pml/core/approvals'
import type { Checked } from '@pml/core/schemas'
import { recordEvents } from '../db/record-event.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { hashToken } from './approve-change.ts'
import type { Approvals } from './approvals.ts'
import { requireContent } from './content-limit.ts'
import { patternTypeOf, typeOfChange } from '../patterns/entitlement.ts'
import type { FoundApproval } from './find-approval.ts'
import type { HeldPatterns } from '../patterns/live-patterns.ts'
import type { PatternVerdict } from '../patterns/pattern-set.ts'
import { messages } from './refusals.ts'

type ToCheck = {
  readonly path?: string | undefined
  readonly project?: string | undefined
  /** The result of an earlier database lookup. */
  readonly found?: FoundApproval
} & ({ readonly contentHash: string } | { readonly content: string })

/** Reports whether content may be written now. A check does not use up the approval. */
export async function checkApproval(approvals: Approvals, actor: Actor, request: ToCheck): Promise<Checked> {
  requireScope(actor, 'hook|approve')
  if ('content' in request) requireContent(request.content)
  const contentHash = 'content' in request ? contentHashOf(request.content) : request.contentHash
  const found = request.found ?? (await findApproval(approvals, request, contentHash))
  const { held } = approvals.patterns
  const patterns = held.revision === found.revision ? held : await approvals.patterns.reload()
  const verdict = await verdictOf(approvals, patterns, { request, contentHash, found })
  const checked = answerOf(contentHash, found.change, verdict)
  if (!checked.approved) await recordFailedCheck(approvals, actor, checked)
  return checked
}

/** Finds the approval of the content, or of the content without a marker that holds the approval's token. */
async function findApproval(
  { findApproval }: Approvals,
  request: ToCheck,
  contentHash: string,
): Promise<FoundApproval> {
  const { path, project = '' } = request
  const found = await findApproval({ contentHash, path, project })
  if (found.change?.isLive || path === undefined || !('content' in request)) return found
  for (const { token, originals } of findMarkers(path, request.content))
    for (const original of originals) {
      const claim = { contentHash: contentHashOf(original), tokenHash: hashToken(token), path, project }
      const marked = await findApproval(claim)
      if (marked.change?.isLive) return marked
    }
  return found
}

/** Matches the content against the patterns. Returns no verdict if only an unknown hash was given. */
async function verdictOf(
  { config, findContent }: Approvals,
  patterns: HeldPatterns,
  { request, contentHash, found }: { request: ToCheck; contentHash: string; found: FoundApproval },
): Promise<PatternVerdict> {
  const { change } = found
  if (!('content' in request) && !change) return {}
  const type = patternTypeOf(change ? typeOfChange(config(), change) : config().typeOf(request.path ?? ''))
  return patterns.findByHash({ hash: contentHash, type }, async () =>
    'content' in request ? request.content : findContent(change?.id ?? ''),
  )
}

function answerOf(
  contentHash: string,
  change: FoundApproval['change'],
  { blockedBy, approvedBy }: PatternVerdict,
): Checked {
  const known = {
    contentHash,
    status: change?.status ?? null,
    changeId: change?.id ?? null,
    path: change?.path ?? null,
    specialist: change?.specialist ?? null,
    expires: change?.status === 'approved' ? (change.expires?.toISOString() ?? null) : null,
  }
  const no = { ...known, approved: false, via: null, pattern: null }
  if (blockedBy !== undefined)
    return { ...no, pattern: blockedBy, message: `It is not approved: pattern ${blockedBy} blocks it` }
  if (change?.isLive)
    return {
      ...known,
      approved: true,
      via: 'token',
      pattern: null,
      message: `It is approved by ${change.specialist}, once`,
    }
  if (change?.isRejected) return { ...no, message: `It is not approved: ${messages.rejected}` }
  if (approvedBy)
    return {
      ...known,
      approved: true,
      via: 'pattern',
      pattern: approvedBy.id,
      message: `It is approved by pattern ${approvedBy.id}`,
    }
  const why =
    change?.status === 'used' ? 'already_used' : change?.status === 'expired' ? 'expired' : 'not_approved'
  return { ...no, message: `It is not approved: ${messages[why]}` }
}

async function recordFailedCheck(
  { db, failedChecks }: Approvals,
  actor: Actor,
  { contentHash, path, status }: Checked,
): Promise<void> {
  failedChecks.take(actor.id)
  await recordEvents(db.sql, [
    {
      actor: actor.id,
      action: 'change.check_failed',
      subject: contentHash,
      detail: { contentHash, path, status },
    },
  ])
}
