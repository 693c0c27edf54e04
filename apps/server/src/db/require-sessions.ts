import { randomBytes } from 'node:crypto'
import { PmlError } from '@pml/core'
import type { ReservedSql, Sql } from 'postgres'
import { withDeadline } from './deadline.ts'
import type { Database } from './connect.ts'

/** The settings that correctness depends on; a pooler can drop them without an error. */
const SETTINGS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const
const ROUNDS = 3
const NOTIFY_TIMEOUT_MS = 5000

/**
 * Throws `invalid_config` when a connection to the database is not a session of its own, as behind a pooler in
 * transaction mode: settings, LISTEN and locks would end up with another client.
 */
export async function requireSessions({ sql, lookups }: Database): Promise<void> {
  // Queries that cannot connect fail at once; the driver would go on trying to reserve a connection.
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
 * Writes to both sessions, then reads in the other order. A pooler that hands out the backend used last shows the first
 * one the value of the second; one that takes turns shows the second one a value that is not its own.
 */
async function requireApart(one: ReservedSql, other: ReservedSql): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const first = await mark(one)
    const second = await mark(other)
    if ((await readMark(other)) !== second || (await readMark(one)) !== first)
      throw notASession('a setting did not last from one statement to the next')
  }
}

/** Without parameters the statement goes by the simple protocol and needs nothing to be prepared. */
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
    const asked = String(options.connection[name])
    // Setting it to the value it should have gives that value as Postgres writes it, "10s" for 10000.
    const [row] = await session.unsafe(
      'select current_setting($1) as found, set_config($1, $2, false) as expected',
      [name, asked],
    )
    if (row?.['found'] === row?.['expected']) continue
    throw new PmlError(
      'invalid_config',
      `Cannot use the database: ${name} is ${row?.['found']}, expected ${row?.['expected']} as set by the connection; ` +
        `a pooler such as PgBouncer drops it; connect directly or set it for the role: ALTER ROLE ... SET ${name} = '${row?.['expected']}'`,
    )
  }
}

/** The channel is this process's own, so servers that start together do not hear one another. */
async function requireNotify(sql: Sql): Promise<void> {
  const channel = `pml_start_${randomBytes(8).toString('hex')}`
  let hear = (): void => {}
  const heard = new Promise<void>((done) => (hear = done))
  const subscription = await sql.listen(channel, () => hear())
  await sql.unsafe(`notify ${channel}`)
  await withDeadline(heard, NOTIFY_TIMEOUT_MS).catch(() => {
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
