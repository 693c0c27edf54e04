/** Cancellation by the caller or a timeout. By hand: `AbortSignal.any` may be garbage-collected before it fires. */
export interface Limit {
  readonly signal: AbortSignal
  /** Which of the two happened first. */
  readonly ending: 'cancelled' | 'timeout' | undefined
  /** Must be called when the work is over. */
  clear(): void
}

export function startLimit(given: AbortSignal, timeoutMs: number): Limit {
  const controller = new AbortController()
  let ending: Limit['ending']
  const finish = (how: 'cancelled' | 'timeout') => {
    ending ??= how
    controller.abort(new Error(how))
  }
  const cancel = () => finish('cancelled')
  const timer = setTimeout(() => finish('timeout'), timeoutMs)
  given.addEventListener('abort', cancel, { once: true })
  if (given.aborted) cancel()
  return {
    signal: controller.signal,
    get ending() {
      return ending
    },
    clear() {
      clearTimeout(timer)
      given.removeEventListener('abort', cancel)
    },
  }
}

/** Rejects when the signal aborts, whether or not the work stops. */
export function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
