import type { Readable } from 'node:stream'
import type { HidingStream } from './hide-secrets.ts'
import type { ProxyLimits } from './limits.ts'

interface Relay {
  readonly limits: ProxyLimits
  /** A stream has no limit on its size and total time. */
  readonly isStream: boolean
  readonly hiding: HidingStream
  /** Called once at the end; `failure` is undefined if the body was complete or cancelled. */
  readonly onEnd: (failure: string | undefined) => void
}

/**
 * Relays a body chunk by chunk, as fast as it is read. After a failure the stream never ends, because an end would mean
 * that the body is complete; the caller must close the connection in `onEnd`.
 */
export function relayBody(
  body: Readable,
  { limits, isStream, hiding, onEnd }: Relay,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const idle = setTimeout(() => end('it was idle for too long'), limits.idleMs)
  const whole = isStream ? undefined : setTimeout(() => end('its response took too long'), limits.answerMs)
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
      if (!piece) return end('its response was cut off')
      if (piece.done) {
        const rest = hiding.end()
        if (rest.length > 0) controller.enqueue(rest)
        end(undefined)
        return controller.close()
      }
      length += piece.value.length
      if (!isStream && length > limits.answerBytes)
        return end(`its response is over ${limits.answerBytes} bytes`)
      idle.refresh()
      const shown = hiding.push(piece.value)
      // Nothing to send if the whole chunk may be the beginning of a secret.
      if (shown.length > 0) return controller.enqueue(shown)
    }
  }

  return new ReadableStream({ pull, cancel: () => end(undefined) }, { highWaterMark: 0 })
}
