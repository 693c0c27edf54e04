import type { RequestId } from '@modelcontextprotocol/server'
import { leavingWith, type Leaving } from '../toolbox.ts'

/**
 * Running calls of the legacy era. A client cancels with a message on another connection, so calls are found by session and
 * request id. Sessions have unguessable names.
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
