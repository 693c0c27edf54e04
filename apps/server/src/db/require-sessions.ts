import { randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import type { ReservedSql, Sql } from 'postgres'
import { withDeadline } from './deadline.ts'
import type { Database } from './connect.ts'

/** Settings that correctness depends on, and that a pooler may silently drop. */
const SETTINGS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const
const ROUNDS = 3
const NOTIFY_TIMEOUT_MS = 5000

/**
 * Throws `invalid_config` if a connection is not a session, as behind a pooler in transaction mode. There, settings,
 * LISTEN and locks would affect other clients.
 */
export async function requireSessions({ sql, lookups }: Database): Promise<void> {
  // A query fails if it cannot connect; `reserve` would retry forever.
  await sql.unsafe('select 1')
  await lookups.unsafe('select 1')
  const [one, other] = await Promise.all([sql.reserve(), lookups.reserve()])
  try {
    await requireApart(one, other)
    await Promise.all([requireSettings(one, sql), requireSettings(other, lookups)])
  } finally {
    one.release()
    other.release()
  }
  await requireNotify(sql)
}

/**
 * Sets a value in both sessions, then reads them in reverse order. A pooler that shares backends, most recently used
 * first or in turns, returns the wrong value to one of them.
 */
async function requireApart(one: ReservedSql, other: ReservedSql): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const first = await mark(one)
    const second = await mark(other)
    if ((await readMark(other)) !== second || (await readMark(one)) !== first)
      throw notASession('a setting did not last from one statement to the next')
  }
}

/** Has no parameters, so that the simple protocol is used and nothing is prepared. */
async function mark(session: ReservedSql): Promise<string> {
  const value = randomBytes(8).toString('hex')
  await session.unsafe(`select set_config('pml.session', '${value}', false)`)
  return value
}

async function readMark(session: ReservedSql): Promise<unknown> {
  const [row] = await session.unsafe(`select current_setting('pml.session', true) as value`)
  return row?.['value']
}

async function requireSettings(session: ReservedSql, { options }: Sql): Promise<void> {
  for (const name of SETTINGS) {
    const wanted = String(options.connection[name])
    // `set_config` returns the expected value in Postgres' notation: "10s" for 10000.
    const [row] = await session.unsafe(
      'select current_setting($1) as found, set_config($1, $2, false) as expected',
      [name, wanted],
    )
    if (row?.['found'] === row?.['expected']) continue
    throw new PmlError(
      'invalid_config',
      `Cannot use the database: ${name} is ${row?.['found']}, expected ${row?.['expected']} as set by the connection; ` +
        `a pooler such as PgBouncer drops it; connect directly or set it for the role: ALTER ROLE ... SET ${name} = '${row?.['expected']}'`,
    )
  }
}

/** Checks that NOTIFY arrives. The channel is random, so that servers that start together do not interfere. */
async function requireNotify(sql: Sql): Promise<void> {
  const channel = `pml_start_${randomBytes(8).toString('hex')}`
  let onNotify = (): void => {}
  const notified = new Promise<void>((done) => (onNotify = done))
  const subscription = await sql.listen(channel, () => onNotify())
  await sql.unsafe(`notify ${channel}`)
  await withDeadline(notified, NOTIFY_TIMEOUT_MS).catch(() => {
    throw notASession('a NOTIFY did not reach the connection that listens')
  })
  await subscription.unlisten()
}

function notASession(symptom: string): PmlError {
  return new PmlError(
    'invalid_config',
    `Cannot use the database: ${symptom}; DATABASE_URL looks like PgBouncer in transaction mode; ` +
      'use session mode or connect directly to Postgres',
  )
}
