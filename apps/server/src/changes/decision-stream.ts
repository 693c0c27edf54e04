import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { eventOf } from './decision-event.ts'
import type { Seats } from './seats.ts'

interface Deps {
  readonly audit: Pick<SealedEvents, 'subscribe' | 'read'>
  readonly seats: Seats
}

const PAGE = 500
const HEARTBEAT_MS = 15_000
/** A client that falls further behind is disconnected; it can reconnect with its last event id. */
const MOST_UNREAD_BYTES = 512 * 1024
const encoder = new TextEncoder()

/**
 * Streams blocked, approved, rejected and used changes in the order of the audit log. A client that reconnects with
 * its last event id as `after` misses nothing.
 */
export function decisionStream(
  deps: Deps,
  actor: Actor,
  after: number | undefined,
): ReadableStream<Uint8Array> {
  requireScope(actor, 'hook|approve')
  const size = ({ byteLength }: Uint8Array) => byteLength
  return new ReadableStream(new DecisionSource(deps, actor.id, after), { highWaterMark: 0, size })
}

class DecisionSource {
  readonly #audit: Deps['audit']
  /** Events that arrived while older ones were read; undefined once caught up. */
  #held: SealedEvent[] | undefined
  #last: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #leave: () => void
  #forget = () => {}
  #heartbeat: NodeJS.Timeout | undefined

  constructor({ audit, seats }: Deps, keyId: string, after: number | undefined) {
    this.#audit = audit
    this.#last = after ?? -1
    this.#held = after === undefined ? undefined : []
    this.#leave = seats.take(keyId, () => this.#cut())
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    this.#forget = this.#audit.subscribe((rows) => this.#receive(rows))
    this.#heartbeat = setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS)
    this.#send(': hello\nretry: 1000\n\n')
    if (this.#held) this.#catchUp().catch(() => this.#cut())
  }

  cancel(): void {
    this.#controller = undefined
    this.#leave()
    this.#forget()
    clearInterval(this.#heartbeat)
  }

  #cut(): void {
    this.#controller?.close()
    this.cancel()
  }

  #receive(rows: readonly SealedEvent[]): void {
    if (this.#held) this.#held.push(...rows.filter((row) => eventOf(row) !== undefined))
    else this.#sendAll(rows)
  }

  /** Sends the events since the last id. Stops when the client disconnects, because there may be millions. */
  async #catchUp(): Promise<void> {
    let isMore = true
    while (isMore && this.#controller) {
      const rows = await this.#audit.read(this.#last, PAGE)
      this.#sendAll(rows)
      isMore = rows.length === PAGE
    }
    const held = this.#held ?? []
    this.#held = undefined
    this.#sendAll(held)
  }

  #sendAll(rows: readonly SealedEvent[]): void {
    for (const row of rows) if (row.seq > this.#last) this.#send(printEvent(row))
    this.#last = Math.max(this.#last, rows.at(-1)?.seq ?? this.#last)
  }

  #send(text: string): void {
    if (text === '' || !this.#controller) return
    if ((this.#controller.desiredSize ?? 0) > -MOST_UNREAD_BYTES)
      this.#controller.enqueue(encoder.encode(text))
    else this.#cut()
  }
}

/** Prints an event for the stream; empty if it is not about a decision. */
function printEvent(row: SealedEvent): string {
  const event = eventOf(row)
  if (event === undefined) return ''
  const { seq, at, actor, subject, detail } = row
  const data = JSON.stringify({ changeId: subject, at, key: actor, ...detail })
  return `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`
}
