import { PmlError } from '@pml/core'
import type { ShownChange } from '@pml/core/schemas'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { showChange } from './show-change.ts'

export interface Waiting {
  readonly id: string
  readonly waitSeconds: number
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

const MOST_WAITING = 1000
const decisions = new Set(['change.approve', 'change.reject', 'change.spend'])
let waiting = 0

/** The change as soon as it is decided, or as it is when the time is over. */
export async function waitForDecision(
  { approvals, audit }: { approvals: Approvals; audit: Pick<SealedEvents, 'subscribe'> },
  actor: Actor,
  { id, waitSeconds, signal }: Waiting,
): Promise<ShownChange> {
  if (waitSeconds === 0) return showChange(approvals, actor, id)
  if (waiting >= MOST_WAITING)
    throw new PmlError('rate_limited', 'Cannot wait: too many do already; ask without wait', {
      retryAfter: 5,
    })
  waiting += 1
  const told = nextEventOf(audit, id)
  try {
    const now = await showChange(approvals, actor, id)
    if (now.status !== 'blocked') return now
    await within(told.event, waitSeconds * 1000, signal)
    return await showChange(approvals, actor, id)
  } finally {
    waiting -= 1
    told.forget()
  }
}

/** Listened to before the change is looked at, so that nothing falls between the two. */
function nextEventOf(audit: Pick<SealedEvents, 'subscribe'>, id: string) {
  let forget = () => {}
  const event = new Promise<void>((done) => {
    forget = audit.subscribe((rows) => {
      if (rows.some(({ subject, action }) => subject === id && decisions.has(action))) done()
    })
  })
  return { event, forget: () => forget() }
}

async function within(event: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<void> {
  let over = () => {}
  const end = new Promise<void>((done) => (over = done))
  const timer = setTimeout(over, timeoutMs)
  signal.addEventListener('abort', over, { once: true })
  await Promise.race([event, end])
  clearTimeout(timer)
  signal.removeEventListener('abort', over)
}
