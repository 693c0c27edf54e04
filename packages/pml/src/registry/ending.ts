import { EventEmitter } from 'node:events'

/**
 * Ends a request before its answer: because the caller asks for it, or because it takes too long. undici takes an emitter for
 * this too, which costs a fraction of an `AbortSignal`.
 */
export class Ending extends EventEmitter {
  /** Which of the two came, once one has. */
  how: 'cancelled' | 'timeout' | undefined
  readonly #given: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout

  constructor(given: AbortSignal | undefined, timeoutMs: number) {
    super()
    this.#given = given
    this.#timer = setTimeout(() => this.#end('timeout'), timeoutMs)
    given?.addEventListener('abort', this.#cancel)
    if (given?.aborted) this.#cancel()
  }

  /** Something came: from now on it may take as long again. */
  refresh(): void {
    this.#timer.refresh()
  }

  /** Must be called when the answer is there. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#given?.removeEventListener('abort', this.#cancel)
  }

  readonly #cancel = () => this.#end('cancelled')

  #end(how: 'cancelled' | 'timeout'): void {
    this.how ??= how
    this.emit('abort')
  }
}
