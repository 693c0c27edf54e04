import { PmlError } from '@pml/core'
import type { Spending } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import { recordEvents } from '../db/record-event.ts'
import type { RateLimit } from '../wire/rate-limit.ts'
import { messages, type SpendRefusal } from './refusals.ts'

/** What an approval must be for: these bytes and, where a token is shown, this token. */
export interface Claim {
  readonly contentHash: string
  readonly tokenHash: string | undefined
}

/** An attempt to let content pass, with everything that is known of it. */
export interface Attempt extends Omit<Spending, 'token'> {
  readonly project: string
  readonly keyId: string
  /** Of the content as it is, markers included. */
  readonly contentHash: string
  /** The content as it is first, then without each of its markers. */
  readonly claims: readonly Claim[]
  readonly type: string
  /** Of the token beside the content, and of those in its markers. */
  readonly tokenHashes: readonly string[]
  /** Given as such, or made up as a marker in the content. */
  readonly hasToken: boolean
}

/** The error for the caller, after it was written down. Whoever shows tokens that are none is slowed down. */
export async function tellRefused(
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
  if (known || error === 'blocked_pattern') return known ?? new PmlError(error, 'Cannot let it pass')
  return new PmlError(error, `Cannot write ${path}: ${messages[error]}`, { contentHash })
}

/** The same for whoever would let pass what they approved themselves, one by one or by a pattern. */
export async function tellOwn(
  approvals: { db: Pick<Database, 'sql'>; guesses: RateLimit },
  attempt: Attempt,
): Promise<PmlError> {
  const { keyId, contentHash, path, agent, session } = attempt
  const detail = { path, contentHash, agent, session }
  await recordEvents(approvals.db.sql, [
    { actor: keyId, action: 'change.self_approval', subject: contentHash, detail },
  ])
  const message = `Cannot write ${path}: it was approved with this same key; it takes the key of somebody else`
  return tellRefused(
    approvals,
    attempt,
    'not_approved',
    new PmlError('not_approved', message, { contentHash }),
  )
}

/** Counts a guess, and says whether it is the last for now. */
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
