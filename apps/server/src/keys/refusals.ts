import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { anonymous, type Actor } from './actor.ts'
import { networkOf } from './failure-limit.ts'
import type { RefusalReason } from './authenticate.ts'

interface Refusal {
  /** Undefined if the text was not a key. */
  readonly keyId: string | undefined
  readonly reason: RefusalReason
  readonly address: string
}

/** Logs refused keys to the audit log: the first of each network immediately, later ones as a count. */
export interface Refusals {
  note(refusal: Refusal): Promise<void>
  /** Counts a refusal by the rate limit, if a window is open. */
  count(refusal: Refusal): void
  /** Writes the remaining counts. */
  stop(): Promise<void>
}

interface Window {
  readonly refusal: Refusal
  readonly timer: NodeJS.Timeout
  count: number
}

const WINDOW_MS = 10_000
/** Further networks share one window. */
const MOST_WINDOWS = 20
const LONGEST_ADDRESS = 100
/** The refusal that further networks are counted under. */
const others: Refusal = { keyId: undefined, reason: 'unknown', address: 'many' }

export function createRefusals(db: Database, log: Logger): Refusals {
  const windows = new Map<string, Window>()

  async function note(refused: Refusal): Promise<void> {
    const given = { ...refused, address: networkOf(refused.address) }
    const refusal = windows.has(pairOf(given)) || windows.size < MOST_WINDOWS ? given : others
    const open = windows.get(pairOf(refusal))
    if (open) {
      open.count++
      return
    }
    const timer = setInterval(() => flush(pairOf(refusal)), WINDOW_MS)
    windows.set(pairOf(refusal), { refusal, timer, count: 0 })
    await write(refusal, 1)
  }

  async function write({ keyId, reason, address }: Refusal, count: number): Promise<void> {
    const detail = { reason, address: address.slice(0, LONGEST_ADDRESS), count }
    const event = { action: 'key.refused', subject: keyId ?? 'unknown', detail }
    await db.orm.transaction((tx) => recordEvent(tx, anonymous, event))
  }

  /** Writes the count of a window, or closes the window if there were no more refusals. */
  async function flush(pair: string): Promise<void> {
    const window = windows.get(pair)
    if (!window) return
    const { count, refusal, timer } = window
    window.count = 0
    if (count === 0) {
      clearInterval(timer)
      windows.delete(pair)
      return
    }
    await write(refusal, count).catch((error: unknown) =>
      log.error({ err: error, count }, 'cannot write refused keys to the audit log'),
    )
  }

  return {
    note,
    count: (refused) => {
      const given = { ...refused, address: networkOf(refused.address) }
      const open = windows.get(pairOf(given)) ?? windows.get(pairOf(others))
      if (open) open.count++
    },
    stop: async () => {
      for (const { timer } of windows.values()) clearInterval(timer)
      await Promise.all([...windows.keys()].map(flush))
    },
  }
}

function pairOf({ keyId, reason, address }: Refusal): string {
  return `${keyId ?? ''} ${reason} ${address}`
}

/** Logs a request whose key lacks the scope. */
export function noteScope(refusals: Refusals, { id }: Actor, address: string): Promise<void> {
  return refusals.note({ keyId: id, reason: 'scope', address })
}
