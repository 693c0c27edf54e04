import type { AuditHead } from '@pml/core/audit'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { readHead } from './read-head.ts'
import { PAGE, readRows, type SealedEvent } from './read-rows.ts'
import { SEALED_CHANNEL } from './seal-events.ts'

export type SealedListener = (rows: readonly SealedEvent[]) => void

/** What is in the audit log, whichever process wrote it. */
export interface SealedEvents {
  /** Gets every event that is sealed from now on once, in order. The answer ends it. */
  subscribe(listener: SealedListener): () => void
  /** The events behind a place, in order. */
  read(after: number, limit: number): Promise<SealedEvent[]>
  head(): Promise<AuditHead>
}

interface SealedFollower extends SealedEvents {
  /** Looks now, without waiting to be told. */
  look(): void
  stop(): Promise<void>
}

/** Against notifications that a broken connection lost. */
const POLL_MS = 2000

/** Hears of what is sealed by NOTIFY and hands it to those who listen in this process. */
export async function followSealed(db: Database, log: Logger): Promise<SealedFollower> {
  const listeners = new Set<SealedListener>()
  let { seq: seen } = await readHead(db.orm)
  let again = false
  let looking: Promise<void> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const subscription = await db.sql.listen(SEALED_CHANNEL, look, look)

  /** One look at a time: two would hand out the same events. */
  function look(): void {
    again = true
    looking ??= lookUntilDone().finally(() => (looking = undefined))
  }

  async function lookUntilDone(): Promise<void> {
    try {
      while (again) {
        again = false
        if (!stopped) await catchUp()
      }
    } catch (error) {
      log.debug({ err: error }, 'sealed events cannot be read now')
    }
  }

  async function catchUp(): Promise<void> {
    if (listeners.size === 0) {
      const { seq } = await readHead(db.orm)
      // Whoever began to listen meanwhile gets what was sealed meanwhile.
      if (listeners.size === 0) seen = Math.max(seen, seq)
    }
    if (listeners.size === 0) return
    let rows: readonly SealedEvent[]
    do {
      rows = await readRows(db, { after: seen })
      if (stopped) return
      handOut(rows)
    } while (rows.length === PAGE)
  }

  function handOut(rows: readonly SealedEvent[]): void {
    const last = rows.at(-1)
    if (!last) return
    seen = last.seq
    for (const listener of listeners) tell(listener, rows)
  }

  function tell(listener: SealedListener, rows: readonly SealedEvent[]): void {
    try {
      listener(rows)
    } catch (error) {
      log.error({ err: error }, 'a listener to the audit log failed')
    }
  }

  function poll(): void {
    look()
    timer = setTimeout(poll, POLL_MS)
  }

  timer = setTimeout(poll, POLL_MS)
  return {
    look,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    read: (after, limit) => readRows(db, { after, limit }),
    head: () => readHead(db.orm),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
      await subscription
        .unlisten()
        .catch(() => log.debug('the database was gone before the subscription ended'))
    },
  }
}
