import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../test/database.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { connect } from '../db/connect.ts'
import { apiKey, auditEvent } from '../db/schema.ts'
import { authenticate } from './authenticate.ts'
import { createFindKey } from './find-key.ts'
import { ensureAdminKey } from './ensure-admin-key.ts'

let registry: TestRegistry
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
})
afterAll(() => registry.stop())

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = admin) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return registry.fetch(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: text }),
  })
}

async function create(
  request: Record<string, unknown>,
): Promise<{ id: string; key: string; headers: { Authorization: string } }> {
  const response = await send('POST', '/keys', { name: 'k', scopes: ['hook'], ...request })
  const created = (await response.json()) as { id: string; key: string }
  expect(response.status, JSON.stringify(created)).toBe(201)
  return { ...created, headers: { Authorization: `Bearer ${created.key}` } }
}

describe('keys', () => {
  it('are created as requested, shown once, and stored only as a hash', async () => {
    const { id, key } = await create({
      name: 'ci',
      scopes: ['publish:acme.*', 'approve'],
      specialist: 'Test Guard',
      expiresInDays: 30,
    })
    expect(key).toMatch(new RegExp(`^pml_${id}_[0-9a-f]{48}$`))
    const [row] = await registry.db.orm.select().from(apiKey).where(eq(apiKey.id, id))
    expect(row).toMatchObject({
      name: 'ci',
      scopes: ['publish:acme.*', 'approve'],
      specialist: 'Test Guard',
      revokedAt: null,
    })
    expect(JSON.stringify(row)).not.toContain(key.split('_')[2])
    const { keys } = (await (await send('GET', '/keys')).json()) as {
      keys: { id: string; expiresAt: string }[]
    }
    const listed = keys.find((entry) => entry.id === id)
    expect(Object.keys(listed ?? {}).toSorted()).toEqual([
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
      'revokedAt',
      'scopes',
      'specialist',
    ])
    expect(Date.parse(listed?.expiresAt ?? '') - Date.now()).toBeGreaterThan(29 * 86_400_000)
  })

  it('stop working when revoked, and cannot be revoked twice', async () => {
    const { id, headers } = await create({ scopes: ['admin'] })
    expect((await send('GET', '/keys', undefined, headers)).status).toBe(200)
    expect((await send('DELETE', `/keys/${id}`)).status).toBe(204)
    const refused = await send('GET', '/keys', undefined, headers)
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: 'unauthorized', message: expect.stringContaining('revoked') },
    ])
    expect((await send('DELETE', `/keys/${id}`)).status).toBe(404)
    expect((await send('POST', `/keys/${id}/rotate`)).status).toBe(404)
  })

  it('get a new secret by rotation, and the old one stops working', async () => {
    const { id, headers } = await create({ scopes: ['admin'] })
    const rotated = (await (await send('POST', `/keys/${id}/rotate`)).json()) as { id: string; key: string }
    expect(rotated.id).toBe(id)
    expect((await send('GET', '/keys', undefined, headers)).status).toBe(401)
    expect((await send('GET', '/keys', undefined, { Authorization: `Bearer ${rotated.key}` })).status).toBe(
      200,
    )
  })

  it('stop working when they expire', async () => {
    const { id, headers } = await create({ scopes: ['admin'], expiresInDays: 1 })
    await registry.db.orm
      .update(apiKey)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(apiKey.id, id))
    const refused = await send('GET', '/keys', undefined, headers)
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { message: expect.stringContaining('expired') },
    ])
  })

  it('record when they were last used', async () => {
    const { id, headers } = await create({ scopes: ['admin'] })
    await send('GET', '/keys', undefined, headers)
    const [row] = await registry.db.orm.select().from(apiKey).where(eq(apiKey.id, id))
    expect(row?.lastUsedAt).toBeInstanceOf(Date)
  })

  it.each([
    'pml_nosuchkey_0123456789abcdef0123',
    'Bearer',
    'nonsense',
    'pml__',
    `pml_a_${'x'.repeat(500)}`,
    'pml_a_b c',
    "pml_a'--_0123456789abcdef",
  ])('are refused when malformed or unknown: %s', async (key) => {
    const response = await send('GET', '/keys', undefined, { Authorization: `Bearer ${key}` })
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'unauthorized' }])
  })

  it('are refused with a wrong secret, in another scheme, and on reads too', async () => {
    const { id, key } = await create({ scopes: ['admin'] })
    for (const value of [`Bearer pml_${id}_${'0'.repeat(48)}`, `Basic ${key}`, key]) {
      expect((await send('GET', '/keys', undefined, { Authorization: value })).status).toBe(401)
      expect((await registry.fetch('/mcp', { headers: { Authorization: value } })).status).toBe(401)
    }
  })

  it('never appear in the log', async () => {
    const { key } = await create({ scopes: ['admin'] })
    await send('GET', '/keys', undefined, { Authorization: `Bearer ${key}` })
    expect(registry.log.join('\n')).not.toContain(key.split('_')[2])
  })

  it.each([
    ['GET', '/keys', undefined],
    ['POST', '/keys', { name: 'x', scopes: ['admin'] }],
    ['POST', '/keys/abc/rotate', undefined],
    ['DELETE', '/keys/abc', undefined],
  ])('refuses %s %s without a key, and without admin', async (method, path, body) => {
    expect((await send(method, path, body, {})).status).toBe(401)
    const { headers } = await create({ scopes: ['publish:*', 'read:*', 'hook', 'pattern'] })
    const response = await send(method, path, body, headers)
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: 'forbidden', scope: 'admin' },
    ])
  })

  it.each([
    ['{', 400],
    ['[]', 422],
    [{ name: '', scopes: ['admin'] }, 422],
    [{ name: 'x', scopes: [] }, 422],
    [{ name: 'x', scopes: ['root'] }, 422],
    [{ name: 'x', scopes: ['approve'] }, 422],
    [{ name: 'x', scopes: ['hook'], expiresInDays: -1 }, 422],
    [{ name: 'x', scopes: ['hook'], owner: 'me' }, 422],
    [{ name: 'x\0', scopes: ['hook'] }, 400],
    [{ name: 'x', scopes: ['hook'], expiresInDays: 1e9 }, 422],
  ])('are not created from %j', async (body, status) => {
    expect((await send('POST', '/keys', body)).status).toBe(status)
  })

  it('are not created from a body of another content type', async () => {
    expect(
      (
        await send('POST', '/keys', 'name=x', {
          ...admin,
          'Content-Type': 'application/x-www-form-urlencoded',
        })
      ).status,
    ).toBe(415)
  })

  it.each(['%00', 'no_such', 'x'.repeat(40)])('give 404 for the id %s', async (id) => {
    expect((await send('DELETE', `/keys/${id}`)).status).toBe(404)
    expect((await send('POST', `/keys/${id}/rotate`)).status).toBe(404)
  })

  it('log every change to the audit log', async () => {
    const { id } = await create({ name: 'traced' })
    await send('POST', `/keys/${id}/rotate`)
    await send('DELETE', `/keys/${id}`)
    const rows = await registry.db.orm
      .select()
      .from(auditEvent)
      .where(eq(auditEvent.subject, id))
      .orderBy(auditEvent.id)
    expect(rows.map(({ action }) => action)).toEqual(['key.create', 'key.rotate', 'key.revoke'])
    expect(rows[0]?.actor).toBe(admin.Authorization.split('_')[1])
  })
})

describe('admin keys', () => {
  it('cannot all be revoked', async () => {
    const fresh = await startRegistry()
    const [first, second] = [await fresh.key('admin'), await fresh.key('admin')]
    const id = (key: { Authorization: string }) => key.Authorization.split('_')[1] ?? ''
    const revoke = (key: { Authorization: string }, target: { Authorization: string }) =>
      fresh.fetch(`/keys/${id(target)}`, { method: 'DELETE', headers: key })
    const statuses = await Promise.all([revoke(first, second), revoke(second, first)])
    expect(statuses.map(({ status }) => status).toSorted()).not.toEqual([204, 204])
    const survivor = statuses[0]?.status === 204 ? first : second
    const last = await revoke(survivor, survivor)
    expect([last.status, await last.json()]).toMatchObject([409, { error: 'last_admin_key' }])
    await fresh.stop()
  })

  it('are created once on a new database, even by replicas that start together', async () => {
    const db = connect(await createDatabase(), { poolSize: 4 })
    const made: string[] = []
    const keep = async (key: string) => void made.push(key)
    await Promise.all([1, 2, 3].map(() => ensureAdminKey(db, { given: undefined, keep })))
    expect(made).toHaveLength(1)
    const [key] = made
    expect(await authenticate({ db: db, findKey: createFindKey(db) }, `Bearer ${key}`)).toMatchObject({
      scopes: ['admin'],
    })
    await db.close()
  })

  it('are created on the next start if saving one failed', async () => {
    const db = connect(await createDatabase(), { poolSize: 2 })
    const keep = () => Promise.reject(new Error('read-only file system'))
    await expect(ensureAdminKey(db, { given: undefined, keep })).rejects.toThrow('read-only')
    const made: string[] = []
    await ensureAdminKey(db, { given: undefined, keep: async (key) => void made.push(key) })
    expect(made).toHaveLength(1)
    await db.close()
  })

  it('come from the environment if one is set there, and follow its changes', async () => {
    const db = connect(await createDatabase(), { poolSize: 2 })
    const [a, b] = ['pml_opsa_0123456789abcdef', 'pml_opsb_0123456789abcdef']
    const works = (key: string) =>
      authenticate({ db: db, findKey: createFindKey(db) }, `Bearer ${key}`).then(
        () => true,
        () => false,
      )
    const ensureAdminKeyIs = (given: string) =>
      ensureAdminKey(db, { given, keep: () => Promise.reject(new Error('no key was to be made')) })
    await ensureAdminKeyIs(a)
    expect([await works(a), await works(b)]).toEqual([true, false])
    await ensureAdminKeyIs(b)
    expect([await works(a), await works(b)]).toEqual([false, true])
    await ensureAdminKeyIs(a)
    expect([await works(a), await works(b)]).toEqual([true, false])
    await ensureAdminKeyIs('pml_opsa_fedcba9876543210')
    expect([await works(a), await works('pml_opsa_fedcba9876543210')]).toEqual([false, true])
    await db.close()
  })
})

describe('limits', () => {
  it('throttle failed keys by address, and not valid ones', async () => {
    const limited = await startRegistry()
    const good = await limited.key('admin')
    const bad = { headers: { Authorization: 'Bearer pml_nobody_0123456789abcdef' } }
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async () => (await limited.fetch('/keys', bad)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    const response = await limited.fetch('/keys', bad)
    expect([response.status, await response.json()]).toMatchObject([429, { error: 'rate_limited' }])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await limited.fetch('/keys', { headers: good })).status).toBe(200)
    await limited.stop()
  })

  it('count writes by key', async () => {
    const limited = await startRegistry({ writesPerMinute: 3 })
    const [one, other] = [await limited.key('publish:*'), await limited.key('publish:*')]
    const put = async (headers: Record<string, string>) =>
      (await limited.fetch('/mcp/a.b.c.d', { method: 'PUT', body: 'export default 1\n', headers })).status
    expect([await put(one), await put(one), await put(one), await put(one)]).toEqual([201, 200, 200, 429])
    expect(await put(other)).toBe(200)
    await limited.stop()
  })

  it('count reads only if configured, and never health checks', async () => {
    const limited = await startRegistry({ readsPerMinute: 2 })
    for (let round = 0; round < 5; round++) expect((await limited.fetch('/healthz')).status).toBe(200)
    const statuses = [
      await limited.fetch('/mcp'),
      await limited.fetch('/mcp'),
      await limited.fetch('/mcp'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 429])
    await limited.stop()
  })

  it('distinguish callers behind a trusted proxy', async () => {
    const limited = await startRegistry({ readsPerMinute: 1, trustProxy: true })
    const read = async (address: string) =>
      (await limited.fetch('/mcp', { headers: { 'X-Forwarded-For': `spoofed, ${address}` } })).status
    expect([await read('10.0.0.1'), await read('10.0.0.2'), await read('10.0.0.1')]).toEqual([200, 200, 429])
    await limited.stop()
  })
})
