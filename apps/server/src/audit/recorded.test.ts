import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { connect, type Database } from '../db/connect.ts'

let registry: TestRegistry

beforeEach(async () => {
  registry = await startRegistry()
})
afterEach(() => registry.stop())

const eventsOf = async ({ sql }: Database, action: string) =>
  (await sql`select actor, subject, detail from audit_event where action = ${action} order by id`).map(
    ({ actor, subject, detail }) => ({ actor, subject, detail }),
  )
const idOf = ({ Authorization }: { Authorization: string }) => Authorization.split('_')[1] ?? ''
const read = async (headers: Record<string, string>) =>
  (await registry.fetch('/mcp/a.b.c.d', { headers })).status

describe('the use of a key', () => {
  it('is logged once a minute, even with concurrent requests', async () => {
    const key = await registry.key('hook')
    await Promise.all(Array.from({ length: 20 }, () => read(key)))
    await read(key)
    const used = { actor: idOf(key), subject: idOf(key), detail: {} }
    expect(await eventsOf(registry.db, 'key.use')).toEqual([used])
    await registry.db.sql`update api_key set last_used_at = last_used_at - interval '61 seconds'`
    await read(key)
    expect(await eventsOf(registry.db, 'key.use')).toEqual([used, used])
  })

  it('is not logged for requests without a key', async () => {
    const count = async () => (await registry.db.sql`select count(*)::int from audit_event`)[0]?.['count']
    const before = await count()
    for (const path of ['/mcp', '/mcp/a.b.c.d', '/tools', '/healthz']) await registry.fetch(path)
    expect(await count()).toBe(before)
  })
})

describe('a key that is refused', () => {
  const secret = '0123456789abcdef0123'

  it('is logged with the reason and its id, and never with its secret', async () => {
    const [revoked, expired, good] = [
      await registry.key('hook'),
      await registry.key('hook'),
      await registry.key('hook'),
    ]
    await registry.db.sql`update api_key set revoked_at = now() where id = ${idOf(revoked)}`
    await registry.db.sql`update api_key set expires_at = now() where id = ${idOf(expired)}`
    const bad = [
      revoked,
      expired,
      { Authorization: `Bearer pml_${idOf(good)}_${secret}` },
      { Authorization: `Bearer pml_nobody_${secret}` },
      { Authorization: `Bearer ${secret}` },
    ]
    for (const headers of bad) expect(await read(headers)).toBe(401)
    const told = (reason: string) => ({ reason, address: '127.0.0.1', count: 1 })
    const events = await eventsOf(registry.db, 'key.refused')
    expect(events).toEqual([
      { actor: 'anonymous', subject: idOf(revoked), detail: told('revoked') },
      { actor: 'anonymous', subject: idOf(expired), detail: told('expired') },
      { actor: 'anonymous', subject: idOf(good), detail: told('wrong secret') },
      { actor: 'anonymous', subject: 'nobody', detail: told('unknown') },
      { actor: 'anonymous', subject: 'unknown', detail: told('malformed') },
    ])
    expect(JSON.stringify(events)).not.toContain(secret)
    expect(registry.log.join('')).not.toContain(secret)
  })

  it('does not tell its holder the reason', async () => {
    const good = await registry.key('hook')
    const answers = await Promise.all(
      [idOf(good), 'nobody'].map(async (id) => {
        const headers = { Authorization: `Bearer pml_${id}_${secret}` }
        return (await registry.fetch('/mcp', { headers })).json()
      }),
    )
    expect(answers[0]).toEqual(answers[1])
  })

  it('is logged once and then counted, rate-limited requests included', async () => {
    const flooded = await startRegistry()
    const headers = { Authorization: `Bearer pml_nobody_${secret}` }
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async () => (await flooded.fetch('/keys', { headers })).status),
    )
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(await eventsOf(flooded.db, 'key.refused')).toHaveLength(1)
    await flooded.stop()
    const after = connect(flooded.databaseUrl, { poolSize: 1 })
    const events = await eventsOf(after, 'key.refused')
    const counts = events.map(({ detail }) => (detail as { count: number }).count)
    expect(counts.reduce((sum, count) => sum + count)).toBe(80)
    await after.close()
  })
})

describe('a change of the configuration', () => {
  const digest = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`

  it('is logged once, with the files and what they changed', async () => {
    const servers = JSON.stringify({ mcpServers: { notes: { command: 'uvx', args: ['notes-mcp'] } } })
    await writeFile(join(registry.configDir, 'mcp-servers.json'), servers)
    const applied = () => eventsOf(registry.db, 'config.apply')
    await expect.poll(applied, { timeout: 10_000 }).toEqual([
      expect.anything(),
      {
        actor: 'system',
        subject: 'config',
        detail: {
          differing: ['mcp-servers.json'],
          files: { 'approvals.json': digest('{}'), 'mcp-servers.json': digest(servers) },
          changed: { std: 0, routing: 0, servers: 1 },
        },
      },
    ])
    const other = await startRegistry({ databaseUrl: registry.databaseUrl, configDir: registry.configDir })
    expect(await applied()).toHaveLength(2)
    await other.stop()
  })

  it('is logged even if the new rules change no entry', async () => {
    const routing = JSON.stringify({ client: ['later:*'], server: [], default: 'client' })
    await writeFile(join(registry.configDir, 'mcp-routing.json'), routing)
    await expect
      .poll(() => eventsOf(registry.db, 'config.apply'), { timeout: 10_000 })
      .toMatchObject([{}, { detail: { files: { 'mcp-routing.json': digest(routing) } } }])
    await writeFile(join(registry.configDir, 'mcp-routing.json'), '{}')
    await expect
      .poll(async () => (await eventsOf(registry.db, 'config.apply'))[2], { timeout: 10_000 })
      .toMatchObject({
        detail: { differing: ['mcp-routing.json'], files: { 'mcp-routing.json': digest('{}') } },
      })
  })

  it('is not logged when the files are invalid', async () => {
    await writeFile(join(registry.configDir, 'mcp-servers.json'), '{')
    await expect.poll(async () => (await registry.fetch('/readyz')).status, { timeout: 10_000 }).toBe(503)
    expect(await eventsOf(registry.db, 'config.apply')).toHaveLength(1)
  })
})
