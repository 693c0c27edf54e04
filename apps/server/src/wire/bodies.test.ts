import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { parseBody } from './parse-body.ts'

const KIB = 1024
const BUDGET_BYTES = 4 * 1024 * KIB
const IDLE_MS = 500

let registry: TestRegistry
let hook: { Authorization: string }
let admin: { Authorization: string }
const sockets: Socket[] = []

beforeAll(async () => {
  registry = await startRegistry({ bodyBudgetBytes: BUDGET_BYTES, bodyIdleMs: IDLE_MS })
  hook = await registry.key('hook')
  admin = await registry.key('admin')
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await registry.stop()
})

interface Sent {
  readonly socket: Socket
  /** The status line and the rest of the response, once its headers have arrived. */
  readonly response: Promise<string>
}

/** Sends the headers and the beginning of a body, and nothing more. */
function begin(
  request: string,
  headers: Record<string, string>,
  {
    body = '',
    length = 60 * KIB,
    to = registry,
  }: { body?: string; length?: number | 'chunked'; to?: TestRegistry } = {},
): Sent {
  const { hostname, port } = new URL(to.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  const fields = { Host: hostname, 'Content-Type': 'application/json', ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  const piece = length === 'chunked' ? `${body.length.toString(16)}\r\n${body}\r\n` : body
  socket.write([`${request} HTTP/1.1`, ...lines, framing, '', piece].join('\r\n'))
  const response = new Promise<string>((done) => {
    let text = ''
    const finish = () => done(text)
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (/\r\n\r\n[^]*\}$/.test(text)) finish()
    })
    socket.on('error', finish)
    socket.on('close', finish)
  })
  return { socket, response }
}

describe('a body', () => {
  it.each([
    ['POST /tools/key_create', 401],
    ['POST /tools/no_such_tool', 404],
    ['POST /keys', 401],
    ['PUT /mcp/a.b.c.d', 401],
    ['POST /proxy/a.b.c.d', 401],
    ['POST /hooks/claude', 401],
    ['POST /hooks/events', 401],
    ['POST /hooks/approvals', 401],
    ['POST /approvals/changes', 401],
    ['POST /approvals/changes/1/approve', 401],
    ['POST /approvals/changes/1/reject', 401],
    ['POST /approvals/check', 401],
    ['POST /approvals/spend', 401],
    ['POST /approvals/import', 401],
    ['POST /approvals/patterns', 401],
  ])('is not read when the caller has no key: %s', async (request, status) => {
    expect(await begin(request, {}, { body: '{' }).response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it.each([
    ['POST /tools/key_create', 403],
    ['POST /keys', 403],
    ['PUT /mcp/a.b.c.d', 403],
    ['POST /proxy/a.b.c.d', 403],
    ['POST /approvals/changes/1/approve', 403],
    ['POST /approvals/import', 403],
    ['POST /approvals/patterns', 403],
  ])('is not read when the key lacks a required scope: %s', async (request, status) => {
    expect(await begin(request, hook, { body: '{' }).response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it.each([['POST /hooks/claude'], ['POST /approvals/spend']])(
    'is not read when the key lacks the scope: %s',
    async (request) => {
      const other = await registry.key('pattern')
      expect(await begin(request, other, { body: '{' }).response).toMatch(/^HTTP\/1.1 403 /)
    },
  )

  it.each(['/mcp', '/tools/catalog_search'])(
    'of an anonymous caller is limited to 64 KiB: POST %s',
    async (path) => {
      const accept = { Accept: 'application/json, text/event-stream' }
      const declared = begin(`POST ${path}`, accept, { length: 64 * KIB + 1 })
      expect(await declared.response).toMatch(/^HTTP\/1.1 413 [^]*"limit":65536/)
      const chunked = begin(`POST ${path}`, accept, { body: ' '.repeat(64 * KIB + 1), length: 'chunked' })
      expect(await chunked.response).toMatch(/^HTTP\/1.1 413 [^]*"limit":65536/)
      const post = (body: string, headers = {}) =>
        registry.fetch(path, {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json', ...accept, ...headers },
        })
      const message = path === '/mcp' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : '{"query":"x"}'
      expect((await post(message.padEnd(64 * KIB))).status).toBe(200)
      expect((await post(message.padEnd(128 * KIB), hook)).status).toBe(200)
    },
  )

  it.each([
    ['POST /tools/catalog_search', {}],
    ['POST /mcp', { Accept: 'application/json, text/event-stream' }],
    ['POST /approvals/spend', 'hook'],
    ['POST /approvals/changes', 'hook'],
    ['POST /hooks/events', 'hook'],
    ['POST /keys', 'admin'],
    ['PUT /mcp/a.b.c.d', 'admin'],
    ['POST /approvals/import', 'admin'],
  ] as const)('without progress is cut off with 408: %s', async (request, who) => {
    const headers = who === 'hook' ? hook : who === 'admin' ? admin : who
    const small = begin(request, headers, { body: '{' })
    const large = begin(request, who === 'hook' || who === 'admin' ? headers : { ...headers, 'X-Y': '1' }, {
      body: '{',
      length: 'chunked',
    })
    for (const { response, socket } of [small, large]) {
      expect(await response).toMatch(/^HTTP\/1.1 408 [^]*"request_timeout"/)
      if (!socket.destroyed) await once(socket, 'close')
    }
  })

  it('is not timed out while it makes progress', async () => {
    const text = '{"query":"x"}'
    const { socket, response } = begin('POST /tools/catalog_search', {}, { length: text.length })
    for (const character of text) {
      socket.write(character)
      await new Promise((done) => setTimeout(done, IDLE_MS / 4))
    }
    expect(await response).toMatch(/^HTTP\/1.1 200 /)
  })

  it('counts against a shared budget, of which each caller has a share', async () => {
    // Slow enough that the bodies stay in memory until the last response.
    const to = await startRegistry({ bodyBudgetBytes: BUDGET_BYTES, bodyIdleMs: 10_000 })
    const quarter = BUDGET_BYTES / 4
    const fill = (headers: Record<string, string>, bytes: number) =>
      begin('POST /approvals/changes', headers, { body: `"${'x'.repeat(bytes)}`, length: 4 * 1024 * KIB, to })
    const one = await to.key('hook')
    const two = await to.key('hook')
    const three = await to.key('hook')
    // A key may hold half of the budget.
    const held = [fill(one, quarter), fill(one, quarter * 0.9), fill(two, quarter), fill(two, quarter * 0.9)]
    await expect.poll(() => heldBytes(to)).toBeGreaterThan(BUDGET_BYTES * 0.9)
    const over = fill(three, quarter)
    expect(await over.response).toMatch(/^HTTP\/1.1 503 [^]*retry-after: \d/i)
    const status = await to.fetch('/healthz')
    expect(status.status).toBe(200)
    for (const { response } of held) expect(await response).toMatch(/^HTTP\/1.1 408 /)
    expect(await heldBytes(to)).toBe(0)
    const request = { tool: 'Write', path: 'a.ts', content: 'x'.repeat(quarter) }
    const fine = await to.fetch('/approvals/changes', {
      method: 'POST',
      headers: { ...three, 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    })
    expect(fine.status).toBe(201)
    expect(await heldBytes(to)).toBe(0)
    await to.stop()
  })

  it('of an anonymous caller never uses the budget of callers with a key', async () => {
    const flood = Array.from({ length: 40 }, () =>
      begin('POST /tools/catalog_search', {}, { body: ' '.repeat(60 * KIB), length: 63 * KIB }),
    )
    const statuses = await Promise.all(flood.map(({ response }) => response))
    expect(new Set(statuses.map((text) => text.slice(9, 12)))).toEqual(new Set(['503', '408']))
    expect(await heldBytes()).toBe(0)
  })

  it('is freed when the client disconnects', async () => {
    const { socket } = begin('POST /approvals/changes', hook, {
      body: '"'.padEnd(1000 * KIB),
      length: 'chunked',
    })
    await expect.poll(() => heldBytes()).toBeGreaterThan(900 * KIB)
    socket.destroy()
    await expect.poll(() => heldBytes()).toBe(0)
  })

  it('with too many values is refused before they are built', async () => {
    const many = `{"tool":[${'[],'.repeat(60_000)}[]]}`
    const response = await registry.fetch('/approvals/changes', {
      method: 'POST',
      headers: { ...hook, 'Content-Type': 'application/json' },
      body: many,
    })
    expect([response.status, await response.json()]).toMatchObject([413, { error: 'too_large' }])
  })

  it('with very many problems gets an error that lists a few of them', async () => {
    const unknown = Array.from({ length: 20_000 }, (_, index) => [`unknown${index}`, 1])
    const response = await registry.fetch('/keys', {
      method: 'POST',
      headers: { ...admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'x', scopes: ['hook'], ...Object.fromEntries(unknown) }),
    })
    expect([response.status, (await response.text()).length < 10_000]).toEqual([422, true])
    const wrong = Array.from({ length: 1000 }, () => 1)
    expect(() => parseBody(z.array(z.string()), wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid_body',
        detail: { issues: expect.objectContaining({ length: 20 }) },
      }),
    )
  })
})

async function heldBytes(from = registry): Promise<number> {
  const text = await (await from.fetch('/metrics')).text()
  return Number(/^pml_body_bytes (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}
