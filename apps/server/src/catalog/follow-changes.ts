import { parseName, type Name } from '@pml/core'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'

interface Followed {
  readonly drop: (name: Name) => void
  readonly clear: () => void
}

interface Follower {
  /** Whether the last poll of the database succeeded. */
  readonly healthy: boolean
  stop(): Promise<void>
}

const POLL_MS = 500
/** Longer than a transaction, whose statements take at most 10 s each, so that late commits are found. */
const OVERLAP = '15 seconds'
const MOST_CHANGES = 10_000
const LOOK_DEADLINE_MS = 5000

/**
 * Learns of changes by NOTIFY, and polls twice a second for missed notifications. The poll interval bounds how long
 * this process can serve an old release.
 */
export async function followChanges({ sql }: Database, followed: Followed, log: Logger): Promise<Follower> {
  let since = await readClock()
  let seen = new Map<Name, string>()
  let healthy = true
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const subscription = await sql.listen(
    'pml_changed',
    (name) => followed.drop(parseName(name)),
    followed.clear,
  )

  async function readClock(): Promise<Date> {
    const [row] = await sql<{ now: Date }[]>`select now()`
    return row?.now ?? new Date(0)
  }

  async function look(): Promise<void> {
    const rows = await sql<{ name: Name; revision: string; now: Date }[]>`
      select name, revision, now() from mcp_name
      where updated_at > ${since}::timestamptz - ${OVERLAP}::interval limit ${MOST_CHANGES}`
    if (rows.length === MOST_CHANGES) followed.clear()
    for (const { name, revision } of rows) if (seen.get(name) !== revision) followed.drop(name)
    seen = new Map(rows.map(({ name, revision }) => [name, revision]))
    since = rows[0]?.now ?? since
  }

  async function tick(): Promise<void> {
    try {
      await withDeadline(look(), LOOK_DEADLINE_MS)
      if (!healthy) log.info('the database is back')
      healthy = true
    } catch (error) {
      if (healthy) log.error({ err: error }, 'the database does not answer; serving what is in memory')
      healthy = false
    }
    if (!stopped) timer = setTimeout(tick, POLL_MS)
  }

  // Marks earlier changes as seen.
  await look()
  timer = setTimeout(tick, POLL_MS)
  return {
    get healthy() {
      return healthy
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await subscription
        .unlisten()
        .catch(() => log.debug('the database was gone before the subscription ended'))
    },
  }
}
