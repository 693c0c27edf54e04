import type { RequestId } from '@modelcontextprotocol/server'

/**
 * Calls of the legacy era that run now. There a client cancels with a message of its own, on another connection, so
 * the call is found by the session and the request's id. A session is nothing but a name that nobody can guess.
 */
export class RunningCalls {
  readonly #calls = new Map<string, AbortController>()

  async run<Result>(
    { session, id, signal }: { session: string; id: RequestId; signal: AbortSignal },
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController()
    const key = keyOf(session, id)
    const leave = () => controller.abort(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    this.#calls.set(key, controller)
    try {
      return await call(controller.signal)
    } finally {
      signal.removeEventListener('abort', leave)
      if (this.#calls.get(key) === controller) this.#calls.delete(key)
    }
  }

  cancel(session: string, id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#calls.get(keyOf(session, id))?.abort()
  }
}

/** `1` and `"1"` are different ids. */
function keyOf(session: string, id: RequestId): string {
  return `${session} ${JSON.stringify(id)}`
}
