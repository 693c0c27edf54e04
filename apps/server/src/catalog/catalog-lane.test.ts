import { get } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCancelProxy } from '../../test/postgres-proxy.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { connect } from '../db/connect.ts'
import { createCatalogLane } from './catalog-lane.ts'

let registry: TestRegistry
let unlock: (() => Promise<void>) | undefined

beforeAll(async () => {
  registry = await startRegistry({ catalogLimits: { lanes: 1, mostWaiting: 1, patienceMs: 60_000 } })
})
afterEach(async () => {
  await unlock?.()
  unlock = undefined
})
afterAll(() => registry.stop())

/** Locks the table until `unlock`, so that every search hangs in the database. */
async function lockCatalog(): Promise<void> {
  const connection = await registry.db.sql.reserve()
  await connection`begin`
  await connection`lock table catalog_entry in access exclusive mode`
  unlock = async () => {
    await connection`rollback`
    connection.release()
  }
}

const sleeping = async () => {
  const rows = await registry.db
    .sql`select from pg_stat_activity where query like '%pg_sleep(4)%' and state = 'active' and pid <> pg_backend_pid()`
  return rows.length
}

const stuckSearches = async () => {
  const [row] = await registry.db.lookups<{ count: number }[]>`
    select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%catalog_entry%'`
  return row?.count
}

describe('searches that hang', () => {
  it('are refused beyond a limit, while entries, keys and approvals still work', async () => {
    await lockCatalog()
    const hanging = [1, 2].map((page) => registry.fetch(`/mcp?page=${page}`))
    await expect.poll(stuckSearches).toBe(1)
    const refused = await registry.fetch('/mcp?q=anything')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await refused.json()).toMatchObject({ error: 'unavailable' })
    const tool = await registry.fetch('/tools/catalog_search', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"query":"anything"}',
    })
    expect(tool.status).toBe(503)
    expect((await registry.fetch('/mcp/acme.no.such.entry')).status).toBe(404)
    const headers = { ...(await registry.key('hook')), 'Content-Type': 'application/json' }
    const body = JSON.stringify({ tool: 'Write', path: 'a.md', content: 'x' })
    expect((await registry.fetch('/approvals/changes', { method: 'POST', headers, body })).status).toBe(201)
    await unlock?.()
    unlock = undefined
    for (const answer of await Promise.all(hanging)) expect(answer.status).toBe(200)
  })

  it('are cancelled in the database when the client disconnects', async () => {
    await lockCatalog()
    const asked = get(`${registry.url}/mcp?q=gone`).on('error', () => {})
    await expect.poll(stuckSearches).toBe(1)
    asked.destroy()
    await expect.poll(stuckSearches).toBe(0)
  })

  it('leave the queue when the client disconnects', async () => {
    const lane = createCatalogLane(registry.db.catalog, { lanes: 1, mostWaiting: 1, patienceMs: 60_000 })
    const [running, leaving] = [new AbortController(), new AbortController()]
    const first = lane.run(running.signal, (ask, sql) => ask(sql`select pg_sleep(4)`))
    const second = lane.run(leaving.signal, async () => 'second')
    await expect(lane.run(undefined, async () => 'third')).rejects.toMatchObject({ code: 'unavailable' })
    leaving.abort()
    await expect(second).rejects.toMatchObject({ code: 'cancelled' })
    const fourth = lane.run(undefined, async () => 'fourth')
    running.abort()
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    expect(await fourth).toBe('fourth')
  })

  it.each(['lose', 'reset'] as const)(
    'are cancelled again when the first cancel request is lost (%s)',
    async (fault) => {
      let asked = 0
      const proxy = await startCancelProxy(registry.databaseUrl, () => (++asked <= 2 ? fault : undefined))
      const db = connect(proxy.url, { poolSize: 1 })
      try {
        const lane = createCatalogLane(db.catalog, { lanes: 1, mostWaiting: 1, patienceMs: 60_000 })
        const leaving = new AbortController()
        const left = lane.run(leaving.signal, (ask, sql) => ask(sql`select pg_sleep(4)`))
        await expect.poll(sleeping).toBe(1)
        leaving.abort()
        await expect(left).rejects.toMatchObject({ code: 'cancelled' })
        expect(asked).toBe(3)
        expect(await sleeping()).toBe(0)
        expect(await lane.run(undefined, (ask, sql) => ask(sql`select 1 as one`))).toEqual([{ one: 1 }])
      } finally {
        await db.close()
        await proxy.stop()
      }
    },
  )

  it('are refused after waiting too long', async () => {
    const lane = createCatalogLane(registry.db.catalog, { lanes: 1, mostWaiting: 1, patienceMs: 10 })
    const first = lane.run(undefined, (ask, sql) => ask(sql`select pg_sleep(0.2)`))
    await expect(lane.run(undefined, async () => 1)).rejects.toMatchObject({ code: 'unavailable' })
    await first
  })

  it('return 503 when the database cancels them', async () => {
    await lockCatalog()
    const hanging = registry.fetch('/mcp?q=slow')
    await expect.poll(stuckSearches).toBe(1)
    await registry.db.lookups`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%catalog_entry%'`
    const response = await hanging
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
  })

  it('end immediately when the server stops', async () => {
    const lane = createCatalogLane(registry.db.catalog, { lanes: 1, mostWaiting: 1, patienceMs: 60_000 })
    const began = performance.now()
    const asleep = lane.run(undefined, (ask, sql) => ask(sql`select pg_sleep(4)`))
    const queued = lane.run(undefined, (ask, sql) => ask(sql`select 1`))
    asleep.catch(() => {})
    queued.catch(() => {})
    await expect.poll(sleeping).toBe(1)
    lane.close()
    await expect(asleep).rejects.toMatchObject({ code: '57014' })
    await expect(queued).rejects.toMatchObject({ code: 'unavailable' })
    expect(performance.now() - began).toBeLessThan(4000)
    await expect(lane.run(undefined, async () => 1)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
