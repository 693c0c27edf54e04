import type { Readable } from 'node:stream'
import type { HidingStream } from './hide-secrets.ts'
import type { ProxyLimits } from './limits.ts'

interface Relay {
  readonly limits: ProxyLimits
  /** Streams may be as long as they like. */
  readonly isStream: boolean
  readonly hiding: HidingStream
  /** Called once, when nothing more comes: undefined when all came or was wanted, else why not. */
  readonly onEnd: (failure: string | undefined) => void
}

/**
 * A body piece by piece, as the reader asks for them. One that breaks off or breaks a limit never ends: whoever hears of
 * the failure hangs up, because the end of a stream would say that all of it was there.
 */
export function relayBody(
  body: Readable,
  { limits, isStream, hiding, onEnd }: Relay,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const idle = setTimeout(() => end('it was idle for too long'), limits.idleMs)
  const whole = isStream ? undefined : setTimeout(() => end('its answer took too long'), limits.answerMs)
  let length = 0
  let hasEnded = false
  body.on('error', () => {})

  function end(failure: string | undefined): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(idle)
    clearTimeout(whole)
    body.destroy()
    onEnd(failure)
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const piece = await pieces.next().catch(() => undefined)
      if (hasEnded) return
      if (!piece) return end('it broke off its answer')
      if (piece.done) {
        const rest = hiding.end()
        if (rest.length > 0) controller.enqueue(rest)
        end(undefined)
        return controller.close()
      }
      length += piece.value.length
      if (!isStream && length > limits.answerBytes)
        return end(`its answer is over ${limits.answerBytes} bytes`)
      idle.refresh()
      const shown = hiding.push(piece.value)
      // A piece that may be the beginning of a secret waits for the next one.
      if (shown.length > 0) return controller.enqueue(shown)
    }
  }

  return new ReadableStream({ pull, cancel: () => end(undefined) }, { highWaterMark: 0 })
}
