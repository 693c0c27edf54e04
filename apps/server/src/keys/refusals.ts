import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { anonymous } from './actor.ts'
import type { RefusalReason } from './authenticate.ts'

export interface Refusal {
  /** Undefined where the text was no key. */
  readonly keyId: string | undefined
  readonly reason: RefusalReason
  readonly address: string
}

/** Puts refused keys into the audit log: the first at once, those that follow as a number now and then. */
export interface Refusals {
  note(refusal: Refusal): Promise<void>
  /** One of many that were turned away: it is counted, and begins nothing. */
  count(refusal: Refusal): void
  /** Writes what was only counted. */
  stop(): Promise<void>
}

interface Window {
  readonly refusal: Refusal
  readonly timer: NodeJS.Timeout
  count: number
}

const WINDOW_MS = 10_000
const MOST_WINDOWS = 1000
const LONGEST_ADDRESS = 100
/** What a flood from everywhere is counted under. */
const others: Refusal = { keyId: undefined, reason: 'unknown', address: 'many' }

export function createRefusals(db: Database, log: Logger): Refusals {
  const windows = new Map<string, Window>()

  async function note(given: Refusal): Promise<void> {
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

  /** After a while without another, the next one is a first one again. */
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
      log.error({ err: error, count }, 'refused keys could not be written to the audit log'),
    )
  }

  return {
    note,
    count: (refusal) => {
      const open = windows.get(pairOf(refusal))
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
