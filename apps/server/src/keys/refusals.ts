import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { anonymous, type Actor } from './actor.ts'
import { networkOf } from './failure-limit.ts'
import type { RefusalReason } from './authenticate.ts'

interface Refusal {
  /** Undefined where the text was no key. */
  readonly keyId: string | undefined
  readonly reason: RefusalReason
  readonly address: string
}

/** Writes refused keys to the audit log: the first of a network at once, the ones that follow as a count. */
export interface Refusals {
  note(refusal: Refusal): Promise<void>
  /** Counts one that was turned away by the rate limit; it opens no window. */
  count(refusal: Refusal): void
  /** Writes the counts that are not written yet. */
  stop(): Promise<void>
}

interface Window {
  readonly refusal: Refusal
  readonly timer: NodeJS.Timeout
  count: number
}

const WINDOW_MS = 10_000
/** Beyond these, a flood is one row now and then with a count. */
const MOST_WINDOWS = 20
const LONGEST_ADDRESS = 100
/** A flood from everywhere is counted under this. */
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

/** Who tries what its key is not for is to be seen in the audit log. */
export function noteScope(refusals: Refusals, { id }: Actor, address: string): Promise<void> {
  return refusals.note({ keyId: id, reason: 'scope', address })
}
