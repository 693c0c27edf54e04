import type { Name } from '@pml/core'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../http/deadline.ts'
import type { CurrentEntries } from './current-entries.ts'

const NAMES_AT_ONCE = 200
const DEADLINE_MS = 10_000

/**
 * Brings entries near at hand before anyone asks, as many as there is room for: after a start the first reader of an
 * entry waits no longer than the second.
 */
export function startReadingAhead(
  { sql }: Pick<Database, 'sql'>,
  entries: Pick<CurrentEntries, 'find' | 'hasRoom'>,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function readAll(): Promise<void> {
    let names = await namesAfter('')
    while (names.length > 0 && entries.hasRoom && !stopping.signal.aborted) {
      await Promise.all(names.map((name) => entries.find(name)))
      names = await namesAfter(names.at(-1) ?? '')
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
