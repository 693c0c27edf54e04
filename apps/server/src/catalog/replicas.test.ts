import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

let a: TestRegistry
let b: TestRegistry
let headers: Record<string, string>

beforeAll(async () => {
  a = await startRegistry()
  b = await startRegistry({ databaseUrl: a.databaseUrl })
  headers = { ...(await a.key('admin')), 'Content-Type': 'application/typescript' }
})
afterAll(async () => {
  await b.stop()
  await a.stop()
})

const publish = async (name: string, value: number) => {
  const response = await a.fetch(`/mcp/${name}`, {
    method: 'PUT',
    body: `export default ${value}\n`,
    headers,
  })
  return `/mcp/${((await response.json()) as { fqdn: string }).fqdn}`
}
const current = async (registry: TestRegistry, name: string) =>
  (await registry.fetch(`/mcp/${name}`)).headers.get('location')

describe('two replicas on one database', () => {
  it('both serve a publish on one of them within a second', async () => {
    for (let value = 0; value < 5; value++) {
      const location = await publish('acme.replica.seen.soon', value)
      await expect
        .poll(() => current(b, 'acme.replica.seen.soon'), { timeout: 1000, interval: 5 })
        .toBe(location)
      await current(b, 'acme.replica.seen.soon')
    }
  })

  it('do so under load, and never return to an older release', async () => {
    const name = 'acme.replica.under.load'
    const order = [await publish(name, -1)]
    const load = { done: false }
    const readers = Array.from({ length: 16 }, async () => {
      let newest = 0
      while (!load.done) {
        const seen = order.indexOf((await current(b, name)) ?? '')
        if (seen !== -1) {
          expect(seen).toBeGreaterThanOrEqual(newest)
          newest = seen
        }
      }
    })
    for (let value = 0; value < 30; value++) order.push(await publish(name, value))
    await expect.poll(() => current(b, name), { timeout: 1000, interval: 5 }).toBe(order.at(-1))
    load.done = true
    await Promise.all(readers)
  })

  it('show a change in the other’s catalog within a second', async () => {
    await b.fetch('/mcp?q=catalog-change')
    await publish('acme.replica.catalog-change.x', 1)
    const total = async () =>
      ((await (await b.fetch('/mcp?q=catalog-change')).json()) as { total: number }).total
    await expect.poll(total, { timeout: 1000, interval: 5 }).toBe(1)
  })

  it('find a change whose notification was lost', async () => {
    const name = 'acme.replica.lost.notice'
    await publish(name, 1)
    await current(b, name)
    await a.db.sql`alter table mcp_name disable trigger mcp_name_notify`
    const location = await publish(name, 2)
    await expect.poll(() => current(b, name), { timeout: 2000, interval: 5 }).toBe(location)
    await a.db.sql`alter table mcp_name enable trigger mcp_name_notify`
  })

  it('find a change made while they were not listening', async () => {
    const name = 'acme.replica.cut.off'
    const first = await publish(name, 1)
    const second = await publish(name, 2)
    await expect.poll(() => current(b, name), { timeout: 1000, interval: 5 }).toBe(second)
    const stranger = postgres(a.databaseUrl, { max: 1, connection: { application_name: 'stranger' } })
    await stranger.begin(async (tx) => {
      const cut = await tx`
        select pg_terminate_backend(pid) from pg_stat_activity
        where query ilike 'listen%' and datname = current_database()`
      expect(cut.length).toBe(2)
      await tx`
        update mcp_name set current = (select integrity from mcp_release r where r.name = ${name} and ${first} like '%.' || r.hash)
        where name = ${name}`
    })
    await stranger.end()
    await expect.poll(() => current(b, name), { timeout: 2000, interval: 5 }).toBe(first)
    const next = await publish(name, 3)
    await expect.poll(() => current(b, name), { timeout: 1000, interval: 5 }).toBe(next)
  })
})
