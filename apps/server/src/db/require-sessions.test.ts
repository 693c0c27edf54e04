import postgres from 'postgres'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../test/database.ts'
import { startDroppingProxy, startTransactionPooler, type PostgresProxy } from '../../test/postgres-proxy.ts'
import { spawnServer } from '../../test/server-process.ts'
import { connect, explainFailure, type Database } from './connect.ts'
import { requireSessions } from './require-sessions.ts'

let url: string
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  url = await createDatabase({ template: 'template0' })
})
afterEach(async () => {
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup()
})

async function through(starting: Promise<PostgresProxy>): Promise<string> {
  const proxy = await starting
  cleanups.push(proxy.stop)
  return proxy.url
}

function databaseAt(address: string): Database {
  const db = connect(address, { poolSize: 1 })
  cleanups.push(db.close)
  return db
}

const poolerNamed = {
  code: 'invalid_config',
  message: expect.stringMatching(/PgBouncer in transaction mode; use session mode or connect directly/),
}

describe('the check of sessions at start', () => {
  it('passes on plain Postgres, for replicas that start together, and cleans up', async () => {
    const databases = [1, 2, 3].map(() => databaseAt(url))
    await Promise.all(databases.map(requireSessions))
    const admin = postgres(url, { max: 1 })
    cleanups.push(() => admin.end())
    const last = await admin<{ query: string }[]>`
      select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ilike '%listen "pml_start_%'`
    expect(last.map(({ query }) => query.split(' ', 1)[0])).toEqual(['unlisten', 'unlisten', 'unlisten'])
    // Both pools have released their connections.
    for (const { sql, lookups } of databases)
      expect(await Promise.all([sql`select 1 as one`, lookups`select 1 as one`])).toEqual([
        [{ one: 1 }],
        [{ one: 1 }],
      ])
  })

  it('accepts settings from the URL', async () => {
    await expect(requireSessions(databaseAt(`${url}?statement_timeout=5s`))).resolves.toBeUndefined()
  })

  it.each(['oldest', 'newest'] as const)(
    'refuses a pooler that gives each transaction the %s backend',
    async (pick) => {
      // With backends that other clients left in the pool, and without.
      for (const others of [0, 1, 2, 5]) {
        const address = await through(startTransactionPooler(url, { pick }))
        const used = postgres(address, { max: others || 1 })
        cleanups.push(() => used.end())
        if (others > 0) await Promise.all(Array.from({ length: others }, () => used`select pg_sleep(0.1)`))
        await expect(requireSessions(databaseAt(address)), `${others}`).rejects.toMatchObject(poolerNamed)
      }
    },
  )

  it('refuses a database that delivers no NOTIFY', async () => {
    const address = await through(startDroppingProxy(url, { notifications: true }))
    await expect(requireSessions(databaseAt(address))).rejects.toMatchObject(poolerNamed)
  })

  it('refuses a pooler that ignores connection settings', async () => {
    const address = await through(startDroppingProxy(url, { setting: 'statement_timeout' }))
    await expect(requireSessions(databaseAt(address))).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining("ALTER ROLE ... SET statement_timeout = '10s'"),
    })
  })

  it('explains the error of a pooler that refuses connection settings', () => {
    const refusal = Object.assign(new Error('unsupported startup parameter: statement_timeout'), {
      code: '08P01',
    })
    expect(explainFailure(refusal, url)?.message).toMatch(/PgBouncer.*ignore_startup_parameters/)
  })

  it('prevents the start before any migration', async () => {
    const address = await through(startTransactionPooler(url, { pick: 'oldest' }))
    const { lines, exited } = spawnServer({ DATABASE_URL: address })
    expect(await exited).toBe(2)
    expect(lines.join('\n')).toContain('PgBouncer in transaction mode')
    const admin = postgres(url, { max: 1 })
    cleanups.push(() => admin.end())
    expect(await admin`select tablename from pg_tables where schemaname = 'public'`).toEqual([])
  })
})
