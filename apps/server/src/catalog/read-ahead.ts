import { setTimeout as sleep } from 'node:timers/promises'
import type { Name } from '@pml/core'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import type { CurrentEntries } from './current-entries.ts'

const NAMES_AT_ONCE = 50
const DEADLINE_MS = 10_000
/** The least pause between reads. A pause is as long as the read before it, to use at most half of a connection. */
const LEAST_PAUSE_MS = 5
/** The interval of checking whether requests still wait for entries. */
const BUSY_PAUSE_MS = 50

/**
 * Fills the cache with entries in the background after a start, until it is full, so that the first read of an entry is
 * as fast as the second. Requests have priority.
 */
export function startReadingAhead(
  { sql }: Pick<Database, 'sql'>,
  entries: Pick<CurrentEntries, 'find' | 'hasRoom' | 'isBusy'>,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false })

  async function readAll(): Promise<void> {
    let names = await namesAfter('')
    while (names.length > 0 && entries.hasRoom) {
      while (entries.isBusy) await pause(BUSY_PAUSE_MS)
      const began = performance.now()
      await Promise.all(names.map((name) => entries.find(name)))
      names = await namesAfter(names.at(-1) ?? '')
      await pause(Math.max(LEAST_PAUSE_MS, performance.now() - began))
    }
  }

  async function namesAfter(last: string): Promise<Name[]> {
    const query = sql<{ name: Name }[]>`
      select name from mcp_name where name > ${last} order by name limit ${NAMES_AT_ONCE}`
    const rows = await withDeadline(query, DEADLINE_MS)
    return rows.map(({ name }) => name)
  }

  const done = readAll().catch((error: unknown) => {
    if (!stopping.signal.aborted)
      log.warn({ err: error }, 'cannot read all entries ahead; the rest is read on request')
  })
  return {
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}
