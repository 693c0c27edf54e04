import { PmlError } from '@pml/core'

/** The Retry-After for callers while the database does not answer. */
export const RETRY_AFTER_S = 2

/** Rejects with `unavailable` after `deadlineMs`, so that a hanging database does not block callers forever. */
export async function withDeadline<Value>(work: Promise<Value>, deadlineMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(tooLate()), deadlineMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function tooLate(): PmlError {
  return new PmlError('unavailable', 'Cannot answer in time; try again', { retryAfter: RETRY_AFTER_S })
}
