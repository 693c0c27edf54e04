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
/** Whoever reads slower than this is cut off, and comes back with the last id it has. */
const MOST_UNREAD_BYTES = 512 * 1024
const encoder = new TextEncoder()

/**
 * Blocked, approved, rejected and used changes as they happen, in the order of the audit log. Whoever comes back with
 * the id of the last event it has, as `after`, misses nothing.
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
  /** What came while older events were read. */
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
    this.#forget = this.#audit.subscribe((rows) => this.#hear(rows))
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

  #hear(rows: readonly SealedEvent[]): void {
    if (this.#held) this.#held.push(...rows.filter((row) => eventOf(row) !== undefined))
    else this.#tell(rows)
  }

  /** Whoever has left needs nothing of the rest, which may be millions of events. */
  async #catchUp(): Promise<void> {
    let isMore = true
    while (isMore && this.#controller) {
      const rows = await this.#audit.read(this.#last, PAGE)
      this.#tell(rows)
      isMore = rows.length === PAGE
    }
    const held = this.#held ?? []
    this.#held = undefined
    this.#tell(held)
  }

  #tell(rows: readonly SealedEvent[]): void {
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

/** Events of other kinds have no line: only decisions are told here. */
function printEvent(row: SealedEvent): string {
  const event = eventOf(row)
  if (event === undefined) return ''
  const { seq, at, actor, subject, detail } = row
  const data = JSON.stringify({ changeId: subject, at, key: actor, ...detail })
  return `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`
}
