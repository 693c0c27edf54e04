import { PmlError } from '@pml/core'
import type { Spending } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import { recordEvents } from '../db/record-event.ts'
import type { RateLimit } from '../wire/rate-limit.ts'
import { messages, type SpendRefusal } from './refusals.ts'

/** What an approval must match: these bytes and, if a token is given, this token. */
export interface Claim {
  readonly contentHash: string
  readonly tokenHash: string | undefined
}

/** An attempt to write content, with all its details. */
export interface Attempt extends Omit<Spending, 'token'> {
  readonly project: string
  readonly keyId: string
  /** The hash of the content, markers included. */
  readonly contentHash: string
  /** The content unchanged, then the content without each of its markers. */
  readonly claims: readonly Claim[]
  readonly type: string
  /** The hashes of the token beside the content and of the tokens in its markers. */
  readonly tokenHashes: readonly string[]
  /** Whether a token was given, or an invented one is in a marker. */
  readonly hasToken: boolean
}

/** Records a refusal and returns the error for the caller. Counts invalid tokens against the key's rate limit. */
export async function recordRefusal(
  { db, guesses }: { db: Pick<Database, 'sql'>; guesses: RateLimit },
  { keyId, contentHash, path, hasToken, agent, session }: Attempt,
  error: SpendRefusal,
  known?: PmlError,
): Promise<PmlError> {
  const event = {
    actor: keyId,
    subject: contentHash,
    detail: { error, path, contentHash, hasToken, agent, session },
  }
  await recordEvents(db.sql, [{ ...event, action: 'change.spend_refused' }])
  if (hasToken && error === 'not_approved' && isLast(guesses, keyId))
    await recordEvents(db.sql, [{ ...event, action: 'change.guess_limited' }])
  if (known || error === 'blocked_pattern') return known ?? new PmlError(error, 'Cannot write this content')
  return new PmlError(error, `Cannot write ${path}: ${messages[error]}`, { contentHash })
}

/** Records that a key tried to use its own approval or pattern, and returns the error for the caller. */
export async function recordOwnApproval(
  approvals: { db: Pick<Database, 'sql'>; guesses: RateLimit },
  attempt: Attempt,
): Promise<PmlError> {
  const { keyId, contentHash, path, agent, session } = attempt
  const detail = { path, contentHash, agent, session }
  await recordEvents(approvals.db.sql, [
    { actor: keyId, action: 'change.self_approval', subject: contentHash, detail },
  ])
  const message = `Cannot write ${path}: it was approved with this same key; have somebody else approve it`
  return recordRefusal(
    approvals,
    attempt,
    'not_approved',
    new PmlError('not_approved', message, { contentHash }),
  )
}

/** Counts a guess and reports whether it reached the limit. */
function isLast(guesses: RateLimit, keyId: string): boolean {
  try {
    guesses.take(keyId)
    guesses.require(keyId)
    return false
  } catch (error) {
    if (error instanceof PmlError) return true
    throw error
  }
}
