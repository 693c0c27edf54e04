import { PmlError } from '@pml/core'

/** What callers are told when the database does not answer. */
export const RETRY_AFTER_S = 2

/** A database that neither answers nor hangs up must not keep callers for ever. */
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
