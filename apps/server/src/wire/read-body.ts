import type { IncomingMessage } from 'node:http'
import { PmlError } from '@pml/core'

/** The id shared by all callers without a key. */
export const ANONYMOUS_ID = 'anonymous'
/** Fits a module of 1 MiB with its characters escaped as JSON. */
export const TOOL_LIMIT_BYTES = 4 * 1024 * 1024
/** Enough for any request that needs no key. */
const ANONYMOUS_LIMIT_BYTES = 64 * 1024
const RETRY_AFTER_S = 5

interface Sender {
  readonly id: string
}

export interface BodyOptions {
  /** The authenticated sender; check scopes before reading. */
  readonly actor: Sender
  readonly limitBytes: number
}

/** Reads request bodies within one memory budget, and times out stalled ones. */
export interface Bodies {
  /** Passes the whole body to `use`. The body counts against the budget until `use` settles. */
  read<Value>(
    request: IncomingMessage,
    options: BodyOptions,
    use: (bytes: Buffer) => Value | Promise<Value>,
  ): Promise<Value>
  /** Bytes of bodies in memory. */
  readonly heldBytes: number
}

/**
 * Anonymous callers together may use a quarter of the budget, and each key half of it, so that no caller uses it up.
 * A body times out after `idleMs` without progress.
 */
export function createBodies({ budgetBytes, idleMs }: { budgetBytes: number; idleMs: number }): Bodies {
  const held = new Map<string, number>()
  let total = 0

  function take({ id }: Sender, bytes: number): void {
    const own = (held.get(id) ?? 0) + bytes
    const share = budgetBytes / (id === ANONYMOUS_ID ? 4 : 2)
    if (own > share || total + bytes > budgetBytes)
      throw new PmlError(
        'unavailable',
        `Cannot read the body: too many request bodies in memory; try again in ${RETRY_AFTER_S} s`,
        { retryAfter: RETRY_AFTER_S },
      )
    held.set(id, own)
    total += bytes
  }

  function give({ id }: Sender, bytes: number): void {
    const left = (held.get(id) ?? 0) - bytes
    if (left > 0) held.set(id, left)
    else held.delete(id)
    total -= bytes
  }

  return {
    read: async (request, { actor, limitBytes }, use) => {
      const limit = actor.id === ANONYMOUS_ID ? Math.min(limitBytes, ANONYMOUS_LIMIT_BYTES) : limitBytes
      requireWithin(Number(request.headers['content-length'] ?? 0), limit)
      let taken = 0
      const onBytes = (bytes: number) => {
        requireWithin(taken + bytes, limit)
        take(actor, bytes)
        taken += bytes
      }
      try {
        return await use(await receive(request, { idleMs, onBytes }))
      } finally {
        give(actor, taken)
      }
    },
    get heldBytes() {
      return total
    },
  }
}

interface Receiving {
  readonly idleMs: number
  /** Throws when the body exceeds its limit or the budget. */
  readonly onBytes: (bytes: number) => void
}

async function receive(request: IncomingMessage, receiving: Receiving): Promise<Buffer> {
  // Most bodies arrive with the headers, and can be read after one turn.
  await Promise.resolve()
  const first = request.read() as Buffer | null
  if (first) receiving.onBytes(first.length)
  if (first?.length === Number(request.headers['content-length'])) return first
  return receiveRest(request, first ? [first] : [], receiving)
}

function receiveRest(
  request: IncomingMessage,
  chunks: Buffer[],
  { idleMs, onBytes }: Receiving,
): Promise<Buffer> {
  return new Promise((done, fail) => {
    const stop = (error: PmlError) => {
      finish()
      request.pause()
      fail(error)
    }
    const timer = setTimeout(() => stop(tooSlow(idleMs)), idleMs)
    const onData = (chunk: Buffer) => {
      timer.refresh()
      try {
        onBytes(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        stop(error as PmlError)
      }
    }
    const onEnd = () => {
      finish()
      done(Buffer.concat(chunks))
    }
    const onClose = () => stop(cutOff())
    const finish = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    if (request.readableEnded) return onEnd()
    if (request.destroyed) return onClose()
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

function tooSlow(idleMs: number): PmlError {
  return new PmlError(
    'request_timeout',
    `Cannot read the body: no data arrived for ${idleMs / 1000} s; send it again`,
  )
}

/** No client receives this response; the code keeps it from being logged as a server error. */
function cutOff(): PmlError {
  return new PmlError('cancelled', 'Cannot read the body: the client disconnected')
}

export function requireWithin(length: number, limitBytes: number): void {
  if (length <= limitBytes) return
  throw new PmlError('too_large', `Content too large: expected at most ${limitBytes} bytes`, {
    limit: limitBytes,
  })
}
