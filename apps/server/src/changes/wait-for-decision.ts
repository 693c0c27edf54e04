import type { ShownChange } from '@pml/core/schemas'
import type { SealedEvents } from '../audit/follow-sealed.ts'
import type { SealedEvent } from '../audit/read-rows.ts'
import type { Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { eventOf } from './decision-event.ts'
import { showChange } from './show-change.ts'

interface Waiting {
  readonly id: string
  readonly waitSeconds: number
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal
}

/** Returns the change as soon as it is decided, or undecided after the timeout. */
export async function waitForDecision(
  { approvals, audit }: { approvals: Approvals; audit: Pick<SealedEvents, 'subscribe'> },
  actor: Actor,
  { id, waitSeconds, signal }: Waiting,
): Promise<ShownChange> {
  if (waitSeconds === 0) return showChange(approvals, actor, id)
  const closing = new AbortController()
  const leave = approvals.waits.take(actor.id, () => closing.abort())
  const decision = nextEventOf(audit, id)
  try {
    const now = await showChange(approvals, actor, id)
    if (now.status !== 'blocked') return now
    await firstOf(decision.event, { timeoutMs: waitSeconds * 1000, signals: [signal, closing.signal] })
    return await showChange(approvals, actor, id)
  } finally {
    leave()
    decision.forget()
  }
}

/** Subscribes before the change is read, so that no decision is missed in between. */
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

/**
 * Settles with the event, the timeout or the first signal. Keeps its own timer and listeners, because on Node 20
 * `AbortSignal.any` with `AbortSignal.timeout` can be garbage-collected and never fires.
 */
async function firstOf(
  event: Promise<void>,
  { timeoutMs, signals }: { timeoutMs: number; signals: readonly AbortSignal[] },
): Promise<void> {
  let end = () => {}
  const ended = new Promise<void>((done) => (end = done))
  const timer = setTimeout(end, timeoutMs)
  for (const signal of signals) signal.addEventListener('abort', end, { once: true })
  if (signals.some(({ aborted }) => aborted)) end()
  try {
    await Promise.race([event, ended])
  } finally {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}
