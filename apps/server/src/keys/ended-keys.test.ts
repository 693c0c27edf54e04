import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerWith } from '../../test/approvals.ts'
import { admin, startRegistry, type TestRegistry } from '../../test/registry.ts'
import { sealPending } from '../audit/seal-events.ts'
import { createKey } from './create-key.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

/** A second, with a margin for a busy machine; none of these requests ends by itself. */
const SOON_MS = 10_000

const upstream = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(': hello\n\n')
})
let one: TestRegistry
let two: TestRegistry

beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const configFiles = {
    'mcp-servers.json': JSON.stringify({ mcpServers: { far: { url: `http://127.0.0.1:${port}/mcp` } } }),
    'mcp-routing.json': JSON.stringify({ server: ['far'] }),
  }
  const options = { proxyAllow: ['127.0.0.1'], configFiles }
  one = await startRegistry(options)
  two = await startRegistry({ ...options, databaseUrl: one.databaseUrl })
  // The last admin key cannot be revoked.
  await one.key('admin')
})
afterAll(async () => {
  await two.stop()
  await one.stop()
  upstream.closeAllConnections()
  upstream.close()
})

async function makeKey(expiresInDays?: number) {
  const scopes = ['hook', 'approve', 'read:*', 'proxy:*', 'admin']
  const request = { name: 'test', scopes, specialist: 'Guard', expiresInDays }
  const { id, key } = await createKey(one.db, admin, async () => request)
  return { id, headers: { Authorization: `Bearer ${key}` } }
}

/** Resolves when the registry ends the response, normally or not. */
async function ended(response: Response): Promise<void> {
  try {
    await response.arrayBuffer()
  } catch {
    // A closed connection counts as an end.
  }
}

function within(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((done) => (timer = setTimeout(() => done(false), SOON_MS)))
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}

const streams = ['/approvals/events', '/proxy/pml.mcp.far.server']

describe('a stream or wait that a key holds open', () => {
  it.each(streams)('ends when any replica revokes the key: %s', async (path) => {
    const { id, headers } = await makeKey()
    const other = await makeKey()
    const response = await two.fetch(path, { headers })
    const staying = await two.fetch(path, { headers: other.headers })
    expect(response.status).toBe(200)
    const end = ended(response)
    let isOver = false
    const stays = ended(staying).then(() => (isOver = true))
    await revokeKey(one.db, admin, id)
    expect(await within(end)).toBe(true)
    expect(isOver).toBe(false)
    await revokeKey(one.db, admin, other.id)
    expect(await within(stays)).toBe(true)
  })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is rotated', (id) => rotateKey(one.db, admin, id)],
    [
      'expires',
      (id) => one.db.sql`update api_key set expires_at = now() + interval '0.3 s' where id = ${id}`,
    ],
    ['is removed', (id) => one.db.sql`delete from api_key where id = ${id}`],
  ])('ends when the key %s', async (_, endKey) => {
    const { id, headers } = await makeKey()
    const end = ended(await two.fetch('/approvals/events', { headers }))
    await endKey(id)
    expect(await within(end)).toBe(true)
    expect((await two.fetch('/approvals/events', { headers })).status).toBe(401)
  })

  it('ends even if the notification is lost', async () => {
    const { id, headers } = await makeKey()
    const end = ended(await two.fetch('/approvals/events', { headers }))
    await one.db.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`update api_key set revoked_at = now() where id = ${id}`
    })
    expect(await within(end)).toBe(true)
  })

  it('ends if it is a wait for a decision', async () => {
    const { id, headers } = await makeKey()
    const hook = await callerWith(one, ['hook'])
    const content = { tool: 'Write', path: 'a.txt', content: 'x' }
    const { body } = await hook.send('POST', '/approvals/changes', content)
    const wait = two.fetch(`/approvals/changes/${String(body['id'])}?wait=60`, { headers })
    const end = wait.then(ended, () => undefined)
    // The wait has started once it has a seat; the second request takes the same path after it.
    await two.fetch(`/approvals/changes/${String(body['id'])}`, { headers })
    await revokeKey(one.db, admin, id)
    expect(await within(end)).toBe(true)
  })

  it('ends if it is an export whose reader has stalled', async () => {
    await one.db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.many', n::text, jsonb_build_object('text', repeat('x', 9000)) from generate_series(1, 2000) n`
    await sealPending(one.db)
    const { id, headers } = await makeKey()
    const reader = (await two.fetch('/audit/export', { headers })).body?.getReader()
    await reader?.read()
    const sibling = ended(await two.fetch('/approvals/events', { headers }))
    await revokeKey(one.db, admin, id)
    await sibling
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done) return
    }
    await expect(rest()).rejects.toThrow('terminated')
  })

  it('lets a request that revokes its own key finish', async () => {
    const { id, headers } = await makeKey()
    const rotated = await two.fetch(`/keys/${id}/rotate`, { method: 'POST', headers })
    expect([rotated.status, await rotated.json()]).toEqual([200, { id, key: expect.any(String) }])
  })

  it('is limited to a number of exports for each key', async () => {
    const { headers } = await makeKey()
    const readers: (ReadableStreamDefaultReader<Uint8Array> | undefined)[] = []
    for (let n = 0; n < 4; n++)
      readers.push((await two.fetch('/audit/export', { headers })).body?.getReader())
    const refused = await two.fetch('/audit/export', { headers })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    const { headers: others } = await makeKey()
    const allowed = await two.fetch('/audit/export', { headers: others })
    expect(allowed.status).toBe(200)
    for (const reader of [...readers, allowed.body?.getReader()]) await reader?.cancel()
    await expect
      .poll(async () => (await two.fetch('/audit/export', { method: 'HEAD', headers })).status)
      .toBe(200)
  })
})
