import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { message, messageWith, nameOf, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'

let registry: TestRegistry
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}'),
  )
  const url = `http://127.0.0.1:${upstream.port}/mcp`
  registry = await startProxiedRegistry({ open: { url }, local: { url } }, { client: ['local'] })
})
afterAll(() => Promise.all([registry.stop(), upstream.stop()]))

const path = `/proxy/${nameOf('open')}`

async function publish(name: string, document: object, query = ''): Promise<void> {
  const response = await registry.fetch(`/mcp/${name}${query}`, {
    method: 'PUT',
    headers: { ...(await registry.key('admin')), 'Content-Type': 'application/json' },
    body: JSON.stringify({ description: 'x', ...document }),
  })
  expect(response.status, await response.text()).toBe(201)
}

async function answerTo(path: string, init: RequestInit): Promise<[number, unknown]> {
  const seen = upstream.requests.length
  const response = await registry.fetch(path, init)
  const answer: [number, unknown] = [response.status, await response.json()]
  if (response.status !== 200) expect(upstream.requests.length).toBe(seen)
  return answer
}

describe('the proxy', () => {
  it.each(['admin', 'proxy:*', 'proxy:pml.mcp', 'proxy:pml.mcp.open.server'])(
    'accepts a key with %s',
    async (scope) => {
      expect(await answerTo(path, messageWith(await registry.key(scope)))).toEqual([200, { ok: true }])
    },
  )

  it('refuses a request without a key', async () => {
    expect(await answerTo(path, message)).toMatchObject([
      401,
      { error: 'unauthorized', message: expect.stringContaining('proxy:pml.mcp.open.server') },
    ])
  })

  it.each(['hook', 'read:*', 'publish:*', 'proxy:pml.mcp.other', 'proxy:pml.mcp.ope'])(
    'refuses a key with only %s',
    async (scope) => {
      expect(await answerTo(path, messageWith(await registry.key(scope)))).toMatchObject([
        403,
        { error: 'forbidden', scope: 'proxy:pml.mcp.open.server' },
      ])
    },
  )

  it('refuses a page of another origin', async () => {
    const init = messageWith(await registry.key('admin'), { Origin: 'https://elsewhere.example' })
    expect(await answerTo(path, init)).toMatchObject([403, { error: 'foreign_origin' }])
  })

  it('accepts the current hash, and refuses any other like reads', async () => {
    const admin = await registry.key('admin')
    const fqdn = (await registry.fetch(`/mcp/${nameOf('open')}`)).headers.get('location')?.split('/').at(-1)
    expect(await answerTo(`/proxy/${fqdn}`, messageWith(admin))).toEqual([200, { ok: true }])
    const wrong = `${nameOf('open')}.0000`
    expect(await answerTo(`/proxy/${wrong}`, messageWith(admin))).toEqual([
      404,
      await (await registry.fetch(`/mcp/${wrong}`)).json(),
    ])
    expect(await answerTo('/proxy/nonsense', messageWith(admin))).toMatchObject([
      400,
      { error: 'invalid_fqdn' },
    ])
    expect(await answerTo('/proxy/a.b.c.d', messageWith(admin))).toMatchObject([404, { error: 'not_found' }])
  })

  it('refuses servers that clients connect to directly, and entries that are not remote servers', async () => {
    const admin = await registry.key('admin')
    await publish('acme.p.stdio.server', { type: 'stdio', routing: 'server', install: { command: 'x' } })
    for (const name of [nameOf('local'), 'acme.p.stdio.server'])
      expect(await answerTo(`/proxy/${name}`, messageWith(admin))).toMatchObject([
        409,
        { error: 'not_proxied' },
      ])
  })

  it('returns 404 for a private entry if the key may not read it', async () => {
    const proxyTo = `http://127.0.0.1:${upstream.port}/private`
    await publish('acme.p.hidden.server', { type: 'http', routing: 'server', proxyTo }, '?visibility=private')
    const hidden = '/proxy/acme.p.hidden.server'
    const [may, both] = [await registry.key('proxy:acme'), await registry.key('proxy:acme', 'read:acme')]
    expect(await answerTo(hidden, messageWith(may))).toMatchObject([404, { error: 'not_found' }])
    expect(await answerTo(hidden, messageWith(both))).toMatchObject([502, { error: 'upstream_failed' }])
  })

  it('returns 410 for a retired entry', async () => {
    const admin = await registry.key('admin')
    await publish('acme.p.old.server', { type: 'http', routing: 'server', proxyTo: 'https://old.example/' })
    await registry.fetch('/mcp/acme.p.old.server', { method: 'DELETE', headers: admin })
    expect(await answerTo('/proxy/acme.p.old.server', messageWith(admin))).toMatchObject([
      410,
      { error: 'gone' },
    ])
  })

  it('uses only the name from the request URL', async () => {
    const admin = await registry.key('admin')
    expect(await answerTo(`${path}?x=1&url=http://10.0.0.1/`, messageWith(admin))).toEqual([
      200,
      { ok: true },
    ])
    expect(upstream.requests.at(-1)?.url).toBe('/mcp')
    for (const suffix of ['/admin', '/..%2fadmin', '%2f..%2fadmin'])
      expect((await answerTo(path + suffix, messageWith(admin)))[0]).toBeGreaterThanOrEqual(400)
  })

  it('accepts only GET, POST and DELETE, and lists them in Allow', async () => {
    const headers = await registry.key('admin')
    for (const method of ['PUT', 'PATCH', 'HEAD']) {
      const response = await registry.fetch(path, { method, headers })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE, GET, OPTIONS, POST'])
    }
  })

  it('refuses bodies that are not JSON or over 4 MiB', async () => {
    const admin = await registry.key('admin')
    const text = messageWith(admin, { 'Content-Type': 'text/plain' })
    expect(await answerTo(path, text)).toMatchObject([415, { error: 'unsupported_media_type' }])
    const long = { ...messageWith(admin), body: JSON.stringify('x'.repeat(4 * 1024 * 1024)) }
    expect(await answerTo(path, long)).toMatchObject([413, { error: 'too_large' }])
  })

  it("counts calls against the key's write limit", async () => {
    const counted = await startProxiedRegistry(
      { open: { url: `http://127.0.0.1:${upstream.port}/mcp` } },
      { writesPerMinute: 2 },
    )
    const init = messageWith(await counted.key('proxy:*'))
    const statuses: number[] = []
    for (const _ of [1, 2, 3]) statuses.push((await counted.fetch(path, init)).status)
    expect(statuses).toEqual([200, 200, 429])
    await counted.stop()
  })

  it('connects to no private address unless it is allowed', async () => {
    const port = upstream.port
    const closed = await startProxiedRegistry(
      {
        open: { url: `http://127.0.0.1:${port}/mcp` },
        named: { url: `https://localhost:${port}/mcp` },
      },
      { proxyAllow: [] },
    )
    const before = upstream.connections()
    const init = messageWith(await closed.key('proxy:*'))
    for (const [server, origin] of [
      ['open', `http://127.0.0.1:${port}`],
      ['named', `https://localhost:${port}`],
    ] as const) {
      const response = await closed.fetch(`/proxy/${nameOf(server)}`, init)
      expect([response.status, await response.json()]).toMatchObject([
        502,
        { error: 'upstream_failed', message: expect.stringContaining(`${origin}: it has no address`) },
      ])
    }
    expect(upstream.connections()).toBe(before)
    await closed.stop()
  })

  it('reports metrics', async () => {
    await answerTo(path, messageWith(await registry.key('admin')))
    const text = await (await registry.fetch('/metrics')).text()
    expect(text).toMatch(
      /pml_request_duration_seconds_count\{route="\/proxy\/:reference",method="POST",status="200"\} [1-9]/,
    )
    expect(text).toMatch(/pml_proxied_calls 0/)
  })
})
