import { setTimeout as sleep } from 'node:timers/promises'
import type { Name } from '@pml/core'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import type { CurrentEntries } from './current-entries.ts'

const NAMES_AT_ONCE = 50
const DEADLINE_MS = 10_000
/** Between two reads at least as long as the read took, so that at most half of a connection's time goes to them. */
const LEAST_PAUSE_MS = 5
/** How long it waits before it looks again whether requests still wait for entries. */
const BUSY_PAUSE_MS = 50

/**
 * Reads entries before anyone asks for them, in the background and as many as there is room for: after a start the first
 * reader of an entry waits no longer than the second. Requests go first.
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
      log.warn({ err: error }, 'not all entries could be read ahead; they are read when asked for')
  })
  return {
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}
