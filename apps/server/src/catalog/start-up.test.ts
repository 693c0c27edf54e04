import { createDatabase } from '../../test/database.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { startServer } from '../../test/server-process.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { connect } from '../db/connect.ts'

const running: TestRegistry[] = []

afterEach(async () => {
  for (const registry of running.splice(0)) await registry.stop()
})

async function start(databaseUrl: string, rules: object): Promise<TestRegistry> {
  const registry = await startRegistry({
    databaseUrl,
    configFiles: { 'mcp-routing.json': JSON.stringify(rules) },
  })
  running.push(registry)
  return registry
}

async function publish(registry: TestRegistry): Promise<void> {
  const { sql } = registry.db
  const digest = 'a'.repeat(64)
  await sql.begin(async (tx) => {
    await tx`insert into blob (integrity, media_type, bytes) values (${`sha256-${digest}`}, 'text/plain', '')`
    await tx`insert into mcp_name (name, source) values ('acme.start.web.tool', 'published')`
    await tx`insert into mcp_release (name, integrity, hash, type, routing, routing_chosen, description, tools, search, size_bytes, served_digest)
      values ('acme.start.web.tool', ${`sha256-${digest}`}, 'aaaa', 'deno', 'client', false, '', '{web:tool}', 'acme.start.web.tool', 0, '')`
    await tx`update mcp_name set current = ${`sha256-${digest}`} where name = 'acme.start.web.tool'`
  })
}

const routingOf = async ({ db }: TestRegistry) => {
  const [row] = await db.sql<
    { routing: string }[]
  >`select routing from catalog_entry where name = 'acme.start.web.tool'`
  return row?.routing
}

it('applies routing rules that changed while it was down, and skips unchanged ones', async () => {
  const databaseUrl = await createDatabase()
  const first = await start(databaseUrl, { client: ['web'] })
  await publish(first)
  expect(await routingOf(first)).toBe('client')
  const second = await start(databaseUrl, { server: ['web'] })
  await expect.poll(() => routingOf(second)).toBe('server')
  // Applying the rules again would move it back.
  await second.db.sql`update mcp_release set routing = 'client' where name = 'acme.start.web.tool'`
  await expect.poll(async () => (await second.db.sql`select from applied_routing`).length).toBe(1)
  const third = await start(databaseUrl, { server: ['web'] })
  expect(await routingOf(third)).toBe('client')
  const fourth = await start(databaseUrl, { server: ['web', 'other'] })
  await expect.poll(() => routingOf(fourth)).toBe('server')
})

it('listens before new routing rules have reached every module', async () => {
  const databaseUrl = await createDatabase()
  const first = await start(databaseUrl, { client: ['web'] })
  await publish(first)
  await expect.poll(async () => (await first.db.sql`select from applied_routing`).length).toBe(1)
  await first.db.sql.begin(async (tx) => {
    await tx`select from mcp_release where name = 'acme.start.web.tool' for update`
    const second = await start(databaseUrl, { server: ['web'] })
    expect((await second.fetch('/healthz')).status).toBe(200)
    expect(await routingOf(second)).toBe('client')
  })
  await expect.poll(() => routingOf(first)).toBe('server')
})

it('stops in time on SIGTERM while a search hangs', async () => {
  const databaseUrl = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'pml-stop-'))
  const db = connect(databaseUrl, { poolSize: 2 })
  try {
    const server = await startServer({
      DATABASE_URL: databaseUrl,
      PML_DATA_DIR: join(folder, 'data'),
      PML_CONFIG_DIR: join(folder, 'config'),
    })
    await db.sql.begin(async (tx) => {
      await tx`lock table catalog_entry in access exclusive mode`
      const hanging = fetch(`${server.url}/mcp?q=anything`)
      const stuck = async () =>
        (
          await db.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        ).length
      await expect.poll(stuck).toBeGreaterThan(0)
      const began = performance.now()
      const exit = server.stop()
      expect((await hanging).status).toBe(503)
      expect(await exit).toBe(0)
      // Less than the 5 s statement timeout of the search.
      expect(performance.now() - began).toBeLessThan(4500)
    })
  } finally {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
})
