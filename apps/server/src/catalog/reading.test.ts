import { createHash } from 'node:crypto'
import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'

const NAME = 'casys.pml.fs.read_json'
const code = `export const description = 'Reads JSON'\nexport default async () => ({ ok: true })\n`
const integrity = `sha256-${createHash('sha256').update(code).digest('hex')}`
const fqdn = `${NAME}.${integrity.slice(7, 11)}`
const document = {
  type: 'http',
  description: 'Web search API',
  routing: 'server',
  proxyTo: 'https://api.tavily.com',
  envRequired: ['TAVILY_API_KEY'],
  tools: ['tavily:search'],
}

let registry: TestRegistry
let admin: { Authorization: string }

beforeAll(async () => {
  registry = await startRegistry()
  admin = await registry.key('admin')
  await put(NAME, code)
  await put('pml.mcp.tavily.server', JSON.stringify(document), 'application/json')
})
afterAll(() => registry.stop())

async function put(name: string, body: string, type = 'application/typescript') {
  const response = await registry.fetch(`/mcp/${name}`, {
    method: 'PUT',
    body,
    headers: { ...admin, 'Content-Type': type },
  })
  expect(response.status, await response.clone().text()).toBeLessThan(300)
  return response.json()
}

describe('GET /mcp/<fqdn>', () => {
  /** A query string sends a read through the routes; without one it takes the read lane. */
  it.each(['', '?routed'])('returns code exactly as published, at /mcp/<fqdn>%s', async (query) => {
    const response = await registry.fetch(`/mcp/${fqdn}${query}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(code)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/typescript; charset=utf-8',
      'content-length': String(code.length),
      etag: `"${integrity}"`,
      'cache-control': 'public, max-age=3600',
      'x-pml-type': 'deno',
      'x-pml-routing': 'client',
      'x-pml-fqdn': fqdn,
      'repr-digest': `sha-256=:${createHash('sha256').update(code).digest('base64')}:`,
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    })
    expect(response.headers.get('access-control-expose-headers')).toContain('X-PML-FQDN')
  })

  it('returns the same headers through the routes as on the read lane', async () => {
    const read = async (path: string, headers: Record<string, string>) => {
      const response = await registry.fetch(path, { headers })
      return [response.status, Object.fromEntries([...response.headers].filter(([key]) => key !== 'date'))]
    }
    for (const reference of [fqdn, NAME]) {
      for (const headers of [{}, { 'If-None-Match': '*' }] as Record<string, string>[]) {
        const direct = await read(`/mcp/${reference}`, headers)
        expect(await read(`/mcp/${reference}?routed`, headers)).toEqual(direct)
      }
    }
  })

  it('returns a document with its own fqdn and integrity', async () => {
    const response = await registry.fetch('/mcp/pml.mcp.tavily.server', { redirect: 'follow' })
    const body = (await response.json()) as Record<string, unknown>
    const { fqdn: own, integrity: declared, ...rest } = body
    expect(rest).toEqual(document)
    expect(own).toBe(`pml.mcp.tavily.server.${String(declared).slice(7, 11)}`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('etag')).toBe(`"${String(declared)}"`)
    expect(response.headers.get('x-pml-type')).toBe('http')
    expect(response.headers.get('x-pml-routing')).toBe('server')
  })

  it('computes the integrity of a document from its RFC 8785 form', async () => {
    const { integrity: declared } = (await (
      await registry.fetch('/mcp/pml.mcp.tavily.server', { redirect: 'follow' })
    ).json()) as { integrity: string }
    const canonical =
      '{"description":"Web search API","envRequired":["TAVILY_API_KEY"],"proxyTo":"https://api.tavily.com","routing":"server","tools":["tavily:search"],"type":"http"}'
    expect(declared).toBe(`sha256-${createHash('sha256').update(canonical).digest('hex')}`)
    expect(await (await registry.fetch(`/blobs/${declared}`)).text()).toBe(canonical)
  })

  it('accepts a longer prefix of the hash, up to all of it', async () => {
    for (const length of [5, 20, 64]) {
      const response = await registry.fetch(`/mcp/${NAME}.${integrity.slice(7, 7 + length)}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-pml-fqdn')).toBe(fqdn)
    }
  })

  it.each([
    'xxxx',
    'XYZ_-9',
    integrity.slice(7, 11).toUpperCase().replace(/^\d+$/, 'AAAA'),
    `${integrity.slice(7)}0`,
    '0',
    integrity.slice(7, 10),
  ])('names the current hash in the error for %s', async (hash) => {
    const response = await registry.fetch(`/mcp/${NAME}.${hash}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'hash_mismatch',
      message: `Hash '${hash.slice(0, 64)}' does not match current hash '${integrity.slice(7, 11)}' for ${NAME}`,
      currentFqdn: fqdn,
    })
  })

  it('returns not_found for an unknown name', async () => {
    const response = await registry.fetch('/mcp/unknown.thing.here.now.abcd')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'not_found',
      message: "MCP 'unknown.thing.here.now' not in registry",
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('redirects a name without a hash to the current release', async () => {
    for (const round of ['routed', 'from memory']) {
      const response = await registry.fetch(`/mcp/${NAME}`, { headers: { 'If-None-Match': '*' } })
      expect(response.status, round).toBe(302)
      expect(response.headers.get('location')).toBe(`/mcp/${fqdn}`)
      expect(response.headers.get('cache-control')).toBe('no-cache')
    }
  })

  it.each([
    'a.b.c',
    'a.b.c.d.e.f',
    'a.b.c.9',
    'a..b.c',
    '%00',
    'a.b.c.d%00',
    'a%2Fb.c.d.e',
    '%2e%2e%2f',
    'а.b.c.d',
    '%D0%B0.b.c.d',
    '%zz',
    'a b.c.d.e',
    `${'a'.repeat(10_000)}.b.c.d`,
  ])('refuses %j as a name', async (reference) => {
    const response = await registry.fetch(`/mcp/${reference}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_fqdn', message: expect.any(String) })
  })

  it('accepts percent-encoded dots', async () => {
    expect((await registry.fetch(`/mcp/${fqdn.replaceAll('.', '%2E')}`)).status).toBe(200)
  })
})

describe('conditional requests', () => {
  const etag = `"${integrity}"`

  it.each([etag, `W/${etag}`, `"other", ${etag}`, '*'])(
    'answer 304 to If-None-Match: %s',
    async (condition) => {
      for (const method of ['GET', 'HEAD']) {
        const response = await registry.fetch(`/mcp/${fqdn}`, {
          method,
          headers: { 'If-None-Match': condition },
        })
        expect(response.status).toBe(304)
        expect(await response.text()).toBe('')
        expect(Object.fromEntries(response.headers)).toMatchObject({
          etag,
          'cache-control': 'public, max-age=3600',
          'x-pml-type': 'deno',
          'x-pml-routing': 'client',
          'x-pml-fqdn': fqdn,
        })
        expect(response.headers.get('repr-digest')).toBeNull()
      }
    },
  )

  it.each(['"other"', integrity, `"${integrity.slice(0, -1)}"`])(
    'answer 200 to If-None-Match: %s',
    async (condition) => {
      expect((await registry.fetch(`/mcp/${fqdn}`, { headers: { 'If-None-Match': condition } })).status).toBe(
        200,
      )
    },
  )

  it('are ignored when the response is an error', async () => {
    expect((await registry.fetch(`/mcp/${NAME}.0000`, { headers: { 'If-None-Match': '*' } })).status).toBe(
      404,
    )
  })
})

describe('HEAD', () => {
  it.each([
    `/mcp/${fqdn}`,
    '/mcp',
    `/mcp/${fqdn}/metadata`,
    `/blobs/${integrity}`,
    '/healthz',
    '/openapi.json',
  ])('returns the headers of GET %s and no body', async (path) => {
    const [get, head] = [await registry.fetch(path), await registry.fetch(path, { method: 'HEAD' })]
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe('')
    const shown = (response: Response) =>
      Object.fromEntries(
        [...response.headers].filter(
          ([key]) => !['date', 'x-request-id', 'connection', 'keep-alive'].includes(key),
        ),
      )
    expect(shown(head)).toEqual(shown(get))
  })
})

describe('GET /mcp/<fqdn>/metadata', () => {
  it('describes code and documents, with and without the hash', async () => {
    for (const reference of [fqdn, NAME]) {
      const response = await registry.fetch(`/mcp/${reference}/metadata`)
      expect(await response.json()).toEqual({
        fqdn,
        name: NAME,
        type: 'deno',
        routing: 'client',
        description: 'Reads JSON',
        tools: ['fs:read_json'],
        integrity,
        publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        size: code.length,
        visibility: 'public',
        history: [],
      })
    }
    expect(await (await registry.fetch('/mcp/pml.mcp.tavily.server/metadata')).json()).toMatchObject({
      type: 'http',
      tools: ['tavily:search'],
    })
  })

  it('refuses a wrong hash and an unknown name', async () => {
    expect((await registry.fetch(`/mcp/${NAME}.0000/metadata`)).status).toBe(404)
    expect((await registry.fetch('/mcp/no.such.name.here/metadata')).status).toBe(404)
  })
})

describe('blobs', () => {
  it('are immutable and conditional', async () => {
    const response = await registry.fetch(`/blobs/${integrity}`)
    expect(await response.text()).toBe(code)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('application/typescript; charset=utf-8')
    expect(
      (await registry.fetch(`/blobs/${integrity}`, { headers: { 'If-None-Match': `"${integrity}"` } }))
        .status,
    ).toBe(304)
  })

  it.each([`sha256-${'0'.repeat(64)}`, 'sha256-abc', integrity.toUpperCase(), '..%2f..%2fetc%2fpasswd'])(
    'return 404 for %s',
    async (path) => {
      const response = await registry.fetch(`/blobs/${path}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: 'not_found' })
    },
  )
})

describe('other addresses', () => {
  it('redirect the old path permanently', async () => {
    const response = await registry.fetch(`/api/registry/${fqdn}`)
    expect([response.status, response.headers.get('location')]).toEqual([308, `/mcp/${fqdn}`])
    const list = await registry.fetch('/api/registry?type=http')
    expect([list.status, list.headers.get('location')]).toEqual([308, '/mcp?type=http'])
  })

  it('answer 404 and 405 as JSON', async () => {
    const unknown = await registry.fetch('/nothing/here')
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: 'not_found', message: expect.any(String) },
    ])
    const wrong = await registry.fetch('/mcp', { method: 'PATCH' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
    expect(await wrong.json()).toMatchObject({ error: 'method_not_allowed' })
    const entry = await registry.fetch(`/mcp/${fqdn}`, { method: 'POST' })
    expect(entry.headers.get('allow')?.split(', ').toSorted()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'PUT',
    ])
  })

  it('allow other origins to read and nothing more', async () => {
    const preflight = await registry.fetch(`/mcp/${fqdn}`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'PUT' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    for (const path of ['/mcp', `/mcp/${fqdn}/metadata`, `/blobs/${integrity}`, '/mcp/no.such.name.here']) {
      expect((await registry.fetch(path)).headers.get('access-control-allow-origin'), path).toBe('*')
    }
  })

  it('treat a raw slash in a reference as a path separator', async () => {
    expect(await rawStatus('/mcp/a/b.c.d.e')).toBe(404)
    expect(await rawStatus('/mcp/../../etc/passwd')).toBe(404)
    expect(await rawStatus('//mcp/x')).toBe(404)
  })
})

it('never returns an internal error, for any request', async () => {
  const path = fc.oneof(
    fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((text) => `/mcp/${encodeURIComponent(text.toWellFormed())}`),
    fc
      .array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 7 })
      .map((parts) => `/mcp/${encodeURIComponent(parts.join('.').toWellFormed())}`),
    fc.webPath(),
    fc.webQueryParameters().map((query) => `/mcp?${query}`),
    fc
      .dictionary(
        fc.constantFrom('type', 'routing', 'tool', 'q', 'page', 'limit', 'cursor'),
        fc.string({ unit: 'binary' }),
      )
      .map((query) => `/mcp?${new URLSearchParams(query)}`),
  )
  await fc.assert(
    fc.asyncProperty(path, async (path) => {
      expect((await registry.fetch(path)).status).toBeLessThan(500)
    }),
    { numRuns: 400 },
  )
})

/** Sends the path unchanged; `fetch` would normalize it. */
function rawStatus(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(registry.url)
  return new Promise((done, fail) => {
    request({ hostname, port, path }, (response) => done(response.resume().statusCode))
      .on('error', fail)
      .end()
  })
}
