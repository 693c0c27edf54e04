import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageWith, nameOf, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'
import { variablesIn } from '../config.ts'

const TOKEN = 'tok-3c1f-operator'
const PART = 'path-9d20-operator'

let registry: TestRegistry
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.url?.includes('hang-up')) request.socket.destroy()
    else if (request.url?.includes('moved')) response.writeHead(307, { Location: request.url }).end()
    else
      response
        .writeHead(200, {
          'Content-Type': 'application/json; charset=utf-8',
          'Cache-Control': 'public, max-age=1000',
          'Set-Cookie': 'session=theirs',
          Server: 'theirs/1.0',
          Location: 'https://theirs.example/',
          'Access-Control-Allow-Credentials': 'true',
          'Mcp-Session-Id': 'session-1',
          'Mcp-Odd': Buffer.from('ünprintable').toString('latin1'),
        })
        .end('{}')
  })
  const url = (path: string) => `http://127.0.0.1:${upstream.port}/${path}`
  const headers = { Authorization: 'Bearer ${UP_TOKEN}', 'Mcp-Tenant': 'ours', Host: 'forged.example' }
  registry = await startProxiedRegistry(
    {
      plain: { url: url('${UP_PART}/mcp?k=${UP_TOKEN}'), headers },
      unset: {
        url: url('mcp'),
        headers: { Authorization: 'Bearer ${UP_NOWHERE}', 'X-B': '${UP_ELSEWHERE}' },
      },
      broken: { url: url('mcp'), headers: { Authorization: 'Bearer ${UP_LINES}' } },
      cut: { url: url('${UP_PART}/hang-up'), headers },
      moved: { url: url('${UP_PART}/moved'), headers },
      tenant: { url: `http://\${UP_PART}.localhost:${upstream.port}/moved`, headers },
      hers: { url: url('mcp'), headers },
    },
    {
      variables: { UP_TOKEN: TOKEN, UP_PART: PART, UP_LINES: `${TOKEN}\r\nX-Smuggled: 1` },
      client: ['hers'],
    },
  )
})
afterAll(() => Promise.all([registry.stop(), upstream.stop()]))

async function call(name: string, headers: Record<string, string> = {}) {
  const init = messageWith(await registry.key('proxy:*', 'read:*'), headers)
  const response = await registry.fetch(`/proxy/${name}`, init)
  return { response, text: await response.text() }
}

describe("the operator's secrets", () => {
  it('are filled into the address and headers of a configured server', async () => {
    const { response } = await call(nameOf('plain'))
    expect(response.status).toBe(200)
    expect(upstream.requests.at(-1)).toMatchObject({
      url: `/${PART}/mcp?k=${TOKEN}`,
      headers: { authorization: `Bearer ${TOKEN}`, 'mcp-tenant': 'ours', host: `127.0.0.1:${upstream.port}` },
    })
  })

  it('that are not set are all named in one error', async () => {
    const { response, text } = await call(nameOf('unset'))
    expect([response.status, JSON.parse(text)]).toMatchObject([
      503,
      { error: 'not_configured', missing: ['UP_ELSEWHERE', 'UP_NOWHERE'] },
    ])
  })

  it('that would break a header are refused by name', async () => {
    const { response, text } = await call(nameOf('broken'))
    expect([response.status, JSON.parse(text)]).toMatchObject([503, { error: 'not_configured' }])
    expect(text).toContain('UP_LINES')
  })

  it.each([
    ['cut', 'closed the connection'],
    ['moved', 'redirects'],
  ])('are not in the error when the server is %s', async (server, words) => {
    const { response, text } = await call(nameOf(server))
    expect(response.headers.get('location')).toBeNull()
    expect([response.status, JSON.parse(text)]).toMatchObject([
      502,
      {
        error: 'upstream_failed',
        message: expect.stringMatching(new RegExp(`^Cannot use http://127\\.0\\.0\\.1:\\d+: it ${words}`)),
      },
    ])
  })

  it('are not in the origin that an error names', async () => {
    const { response, text } = await call(nameOf('tenant'))
    expect(response.status).toBe(502)
    expect(text).toContain(`Cannot use http://\${UP_PART}.localhost:${upstream.port}: it `)
  })

  it('are in no response and not in the log', async () => {
    const shown: string[] = []
    for (const server of ['plain', 'unset', 'broken', 'cut', 'moved', 'tenant', 'hers']) {
      const { response, text } = await call(nameOf(server))
      shown.push(text, JSON.stringify([...response.headers]))
      for (const path of [`/mcp/${nameOf(server)}`, `/mcp/${nameOf(server)}/metadata`])
        shown.push(await (await registry.fetch(path, { redirect: 'follow' })).text())
    }
    for (const path of ['/mcp', '/readyz', '/metrics', '/openapi.json'])
      shown.push(await (await registry.fetch(path)).text())
    expect(registry.log.join('')).toContain('a proxied call failed')
    for (const secret of [TOKEN, PART]) {
      expect(shown.join('\n')).not.toContain(secret)
      expect(registry.log.join('\n')).not.toContain(secret)
    }
  })

  it('are not filled into published documents, which are refused instead', async () => {
    const documents = [
      { proxyTo: `http://127.0.0.1:${upstream.port}/\${UP_TOKEN}` },
      { proxyTo: `http://127.0.0.1:${upstream.port}/?\${UP_TOKEN}` },
      { proxyTo: `http://127.0.0.1:${upstream.port}/`, headers: { 'X-Take': '${UP_TOKEN}' } },
    ]
    for (const [index, document] of documents.entries()) {
      const name = `acme.taker.n${index}.server`
      await publish(name, { type: 'http', routing: 'server', ...document })
      const seen = upstream.requests.length
      const { response, text } = await call(name)
      expect([response.status, JSON.parse(text)]).toMatchObject([409, { error: 'not_proxied' }])
      expect(upstream.requests.length).toBe(seen)
    }
  })

  it('are not filled into a document published under the name of a removed server', async () => {
    const { sql } = registry.db
    const name = nameOf('plain')
    await sql`update mcp_name set source = 'published' where name = ${name}`
    const { response } = await call(name)
    await sql`update mcp_name set source = 'config' where name = ${name}`
    expect(response.status).toBe(409)
  })

  it("never include the registry's own settings", () => {
    const variables = variablesIn({
      PML_ADMIN_KEY: 'a',
      DATABASE_URL: 'b',
      PGPASSWORD: 'c',
      UP_TOKEN: 'd',
      EMPTY: '',
    })
    expect([...variables]).toEqual([['UP_TOKEN', 'd']])
  })
})

describe('headers', () => {
  it('of the client reach the server only if MCP needs them', async () => {
    await call(nameOf('plain'), {
      'Mcp-Session-Id': 's1',
      'MCP-Protocol-Version': '2025-11-25',
      'Mcp-Method': 'tools/call',
      'Mcp-Param-Region': 'eu',
      'Last-Event-Id': '7',
      Cookie: 'own=1',
      'X-Forwarded-For': '10.9.9.9',
      Forwarded: 'for=10.9.9.9',
      'X-Real-Ip': '10.9.9.9',
      Referer: 'https://page.example/',
      'Proxy-Authorization': 'Basic own',
      'Mcp-Tenant': 'theirs',
      'X-Anything': 'own',
    })
    const { headers } = upstream.requests.at(-1) ?? { headers: {} }
    expect(headers).toEqual({
      host: `127.0.0.1:${upstream.port}`,
      connection: 'keep-alive',
      'content-length': expect.any(String),
      'user-agent': expect.stringMatching(/^pml-registry\//),
      'accept-encoding': 'identity',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${TOKEN}`,
      'mcp-tenant': 'ours',
      'mcp-session-id': 's1',
      'mcp-protocol-version': '2025-11-25',
      'mcp-method': 'tools/call',
      'mcp-param-region': 'eu',
      'last-event-id': '7',
    })
  })

  it('of the server reach the client only if they are harmless, and nothing is cached', async () => {
    const { response } = await call(nameOf('plain'))
    const headers = Object.fromEntries(response.headers)
    for (const name of ['date', 'connection', 'keep-alive', 'x-request-id']) delete headers[name]
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'mcp-session-id': 'session-1',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    })
  })

  it('of a server that clients connect to directly are served as templates; others are not served', async () => {
    const documentOf = async (server: string) =>
      (await registry.fetch(`/mcp/${nameOf(server)}`, { redirect: 'follow' })).json()
    expect(await documentOf('hers')).toMatchObject({
      routing: 'client',
      headers: { Authorization: 'Bearer ${UP_TOKEN}', 'Mcp-Tenant': 'ours' },
    })
    expect(await documentOf('plain')).not.toHaveProperty('headers')
  })
})

async function publish(name: string, document: object): Promise<void> {
  const response = await registry.fetch(`/mcp/${name}`, {
    method: 'PUT',
    headers: { ...(await registry.key('admin')), 'Content-Type': 'application/json' },
    body: JSON.stringify({ description: 'x', ...document }),
  })
  expect(response.status, await response.text()).toBe(201)
}
