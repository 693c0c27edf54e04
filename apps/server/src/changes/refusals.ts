import { PmlError, type ErrorCode } from '@pml/core'

/** The error codes of a refused write. */
export type SpendRefusal = Extract<
  ErrorCode,
  'not_approved' | 'already_used' | 'expired' | 'content_mismatch' | 'blocked_pattern' | 'rejected'
>

export function blockedBy(patternId: string): PmlError {
  return new PmlError(
    'blocked_pattern',
    `Cannot approve this content: pattern ${patternId} blocks it, so no approval can allow it; change the content`,
    { pattern: patternId },
  )
}

export const messages: Readonly<Record<Exclude<SpendRefusal, 'blocked_pattern'>, string>> = {
  not_approved: 'nobody has approved this content for this path; have it reviewed',
  already_used: 'its approval was used; have it reviewed again',
  expired: 'its approval has expired; have it reviewed again',
  content_mismatch:
    'the approval is for other content, another path or another project; write exactly what was approved',
  rejected: 'it was rejected; read why, and write something else',
}
