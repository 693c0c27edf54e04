import type { AuditHead } from '@pml/core/audit'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { readHead } from './read-head.ts'
import { PAGE, readRows, type SealedEvent } from './read-rows.ts'
import { SEALED_CHANNEL } from './seal-events.ts'

export type SealedListener = (rows: readonly SealedEvent[]) => void

/** The sealed events of the audit log, from all replicas. */
export interface SealedEvents {
  /** Passes each event sealed from now on to the listener once, in order. Returns a function that unsubscribes. */
  subscribe(listener: SealedListener): () => void
  /** Returns the events after a sequence number, in order. */
  read(after: number, limit: number): Promise<SealedEvent[]>
  head(): Promise<AuditHead>
}

interface SealedFollower extends SealedEvents {
  /** Looks for new events now, without waiting for a notification. */
  look(): void
  stop(): Promise<void>
}

/** Finds events whose notification was lost. */
const POLL_MS = 2000

/** Learns of sealed events by NOTIFY and passes them to the listeners of this process. */
export async function followSealed(db: Database, log: Logger): Promise<SealedFollower> {
  const listeners = new Set<SealedListener>()
  let { seq: seen } = await readHead(db.orm)
  let again = false
  let looking: Promise<void> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const subscription = await db.sql.listen(SEALED_CHANNEL, look, look)

  /** Runs one look at a time: two would deliver the same events. */
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
      log.debug({ err: error }, 'cannot read sealed events; will retry')
    }
  }

  async function catchUp(): Promise<void> {
    if (listeners.size === 0) {
      const { seq } = await readHead(db.orm)
      // A listener that subscribed during the query gets the events sealed since.
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
    for (const listener of listeners) notify(listener, rows)
  }

  function notify(listener: SealedListener, rows: readonly SealedEvent[]): void {
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
