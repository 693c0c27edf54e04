import { PmlError } from '@pml/core'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { eventOf } from '../webhooks/webhook-message.ts'

const MOST_STREAMS = 200
const PAGE = 500
const HEARTBEAT_MS = 15_000
/** Whoever reads slower than this is cut off, and comes back with the last id it has. */
const MOST_UNREAD_BYTES = 512 * 1024
let streams = 0

/**
 * Blocked, approved, rejected and used changes as they happen, in the order of the audit log. Whoever comes back with
 * the id of the last event it has misses nothing.
 */
export function decisionStream(
  audit: Pick<SealedEvents, 'subscribe' | 'read'>,
  actor: Actor,
  { after }: { after: number | undefined },
): ReadableStream<Uint8Array> {
  requireScope(actor, 'hook|approve')
  if (streams >= MOST_STREAMS)
    throw new PmlError('rate_limited', 'Cannot open another stream: there are too many', { retryAfter: 5 })
  let end = () => {}
  return new ReadableStream(
    {
      start: (controller) => {
        streams += 1
        let isOver = false
        const send = (text: string) => {
          if (text === '' || isOver) return
          if ((controller.desiredSize ?? 0) > -MOST_UNREAD_BYTES) controller.enqueue(encoder.encode(text))
          else cut()
        }
        let last = after ?? -1
        const tell = (rows: readonly SealedEvent[]) => {
          for (const row of rows) if (row.seq > last) send(printEvent(row))
          last = Math.max(last, rows.at(-1)?.seq ?? last)
        }
        const held: SealedEvent[][] = []
        let isCaughtUp = after === undefined
        const forget = audit.subscribe((rows) => (isCaughtUp ? tell(rows) : held.push([...rows])))
        const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS)
        const finish = () => {
          if (isOver) return
          isOver = true
          streams -= 1
          forget()
          clearInterval(heartbeat)
        }
        const cut = () => {
          if (!isOver) controller.close()
          finish()
        }
        end = finish
        send(': hello\nretry: 1000\n\n')
        if (!isCaughtUp)
          catchUp(audit, { after: last, tell, isOver: () => isOver })
            .then(() => {
              for (const rows of held) tell(rows)
              return (isCaughtUp = true)
            })
            .catch(cut)
      },
      cancel: () => end(),
    },
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  )
}

const encoder = new TextEncoder()

interface Reader {
  readonly after: number
  readonly tell: (rows: readonly SealedEvent[]) => void
  /** Whoever has left needs nothing of the rest, which may be millions of events. */
  readonly isOver: () => boolean
}

async function catchUp(audit: Pick<SealedEvents, 'read'>, { after, tell, isOver }: Reader): Promise<void> {
  let last = after
  while (!isOver()) {
    const rows = await audit.read(last, PAGE)
    tell(rows)
    last = rows.at(-1)?.seq ?? last
    if (rows.length < PAGE) return
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
