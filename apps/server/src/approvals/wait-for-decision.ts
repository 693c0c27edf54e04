import type { ShownChange } from '@pml/core/schemas'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import type { Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { eventOf } from './decision-event.ts'
import { showChange } from './show-change.ts'

export interface Waiting {
  readonly id: string
  readonly waitSeconds: number
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

/** The change as soon as it is decided, or as it is when the time is over. */
export async function waitForDecision(
  { approvals, audit }: { approvals: Approvals; audit: Pick<SealedEvents, 'subscribe'> },
  actor: Actor,
  { id, waitSeconds, signal }: Waiting,
): Promise<ShownChange> {
  if (waitSeconds === 0) return showChange(approvals, actor, id)
  const house = new AbortController()
  const leave = approvals.waits.take(actor.id, () => house.abort())
  const told = nextEventOf(audit, id)
  try {
    const now = await showChange(approvals, actor, id)
    if (now.status !== 'blocked') return now
    await within(told.event, waitSeconds * 1000, [signal, house.signal])
    return await showChange(approvals, actor, id)
  } finally {
    leave()
    told.forget()
  }
}

/** Listened to before the change is looked at, so that nothing falls between the two. */
function nextEventOf(audit: Pick<SealedEvents, 'subscribe'>, id: string) {
  let forget = () => {}
  const event = new Promise<void>((done) => {
    forget = audit.subscribe((rows) => {
      if (rows.some((row) => row.subject === id && isDecision(row))) done()
    })
  })
  return { event, forget: () => forget() }
}

function isDecision(row: SealedEvent): boolean {
  const event = eventOf(row)
  return event !== undefined && event !== 'blocked'
}

async function within(
  event: Promise<void>,
  timeoutMs: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const ending = AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)])
  await Promise.race([event, new Promise((done) => ending.addEventListener('abort', done, { once: true }))])
}
