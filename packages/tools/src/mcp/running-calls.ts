import type { RequestId } from '@modelcontextprotocol/server'
import { leavingWith, type Leaving } from '../toolbox.ts'

/**
 * Calls of the legacy era that run now. There a client cancels with a message of its own, on another connection, so
 * the call is found by the session and the request's id. A session is nothing but a name that nobody can guess.
 */
export class RunningCalls {
  readonly #calls = new Map<string, AbortController>()

  async run<Result>(
    { session, id, leaving }: { session: string; id: RequestId; leaving: Leaving },
    call: (leaving: Leaving) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController()
    const key = keyOf(session, id)
    const stay = leaving(() => controller.abort())
    this.#calls.set(key, controller)
    try {
      return await call(leavingWith(controller.signal))
    } finally {
      stay()
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
