import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { startReadingAhead } from './read-ahead.ts'

const running: TestRegistry[] = []

afterEach(async () => {
  for (const registry of running.splice(0)) await registry.stop()
})

async function start(databaseUrl?: string): Promise<TestRegistry> {
  const registry = await startRegistry(databaseUrl === undefined ? {} : { databaseUrl })
  running.push(registry)
  return registry
}

const heldBytes = async ({ fetch }: TestRegistry) =>
  Number(/^pml_cache_bytes (\d+)$/m.exec(await (await fetch('/metrics')).text())?.[1])

const SIZE_BYTES = 250

it('caches entries after a start, before the first read, and keeps them cached', async () => {
  const first = await start()
  const { Authorization } = await first.key('admin')
  const publish = async (index: number, value: number) => {
    const response = await first.fetch(`/mcp/acme.ahead.ns.tool_${index}`, {
      method: 'PUT',
      headers: { Authorization, 'Content-Type': 'application/typescript' },
      body: `export default async () => ${value}`,
    })
    expect(response.status).toBe(201)
    return `/mcp/${((await response.json()) as { fqdn: string }).fqdn}`
  }
  for (let index = 0; index < 3; index++) await publish(index, index)
  const second = await start(first.databaseUrl)
  await expect.poll(() => heldBytes(second)).toBe(3 * SIZE_BYTES)
  // The poll that finds an unannounced change also sees the other recent entries.
  await first.db.sql`alter table mcp_name disable trigger mcp_name_notify`
  const changed = await publish(0, 9)
  const current = async () => (await second.fetch('/mcp/acme.ahead.ns.tool_0')).headers.get('location')
  await expect.poll(current).toBe(changed)
  expect(await heldBytes(second)).toBe(3 * SIZE_BYTES)
})

it('reads nothing ahead while requests wait for entries', async () => {
  const registry = await start()
  const { Authorization } = await registry.key('admin')
  await registry.fetch('/mcp/acme.ahead.ns.tool', {
    method: 'PUT',
    headers: { Authorization, 'Content-Type': 'application/typescript' },
    body: 'export default async () => 1',
  })
  const found: string[] = []
  let looks = 0
  const entries = {
    hasRoom: true,
    get isBusy() {
      return ++looks <= 3
    },
    find: async (name: string) => {
      found.push(`${name} after ${looks} looks`)
      return undefined
    },
  }
  const ahead = startReadingAhead(registry.db, entries, pino({ level: 'silent' }))
  await expect.poll(() => found.length).toBeGreaterThan(0)
  expect(found[0]).toMatch(/ after 4 looks$/)
  await ahead.stop()
})
