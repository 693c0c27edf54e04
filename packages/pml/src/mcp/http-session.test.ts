import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { json, startPeer, type Reply } from '../../test/peer.ts'
import { kill } from '../../test/rough-folder.ts'
import { serveWeb } from '../../test/web-server.ts'
import { openSession, type McpSession, type SessionOptions } from './mcp-session.ts'

const never = new AbortController().signal
const soon = { signal: never, timeoutMs: 20_000 }
const headers = { authorization: 'Bearer s3cr3t' }
const endings: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function open(url: URL, options: Partial<SessionOptions> = {}): Promise<McpSession> {
  const session = await openSession(
    { kind: 'http', url, headers, secrets: ['s3cr3t'] },
    {
      server: 'remote',
      client: { name: 'test', version: '1' },
      connectTimeoutMs: 20_000,
      signal: never,
      kill,
      onStderr: () => {},
      ...options,
    },
  )
  endings.push(() => session.close())
  return session
}

async function peerThat(reply: Reply) {
  const peer = await startPeer(reply)
  endings.push(() => peer.stop())
  return { ...peer, mcp: new URL('/mcp', peer.url) }
}

/** The SDK's own server, which knows every revision. */
async function realServer(seen: Request[]): Promise<URL> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'real', version: '1' }, { instructions: 'Hello' })
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }))
    server.registerTool('huge', {}, async () => ({
      content: [{ type: 'text', text: 'x'.repeat(17 * 1024 * 1024) }],
    }))
    server.registerTool('waits', {}, () => new Promise(() => {}))
    return server
  })
  const server = await serveWeb(async (request) => {
    seen.push(request.clone())
    return handler.fetch(request)
  })
  endings.push(() => server.stop())
  return server.url
}

describe('a session over HTTP', () => {
  test('speaks the newest revision, with the headers that it was given', async () => {
    const seen: Request[] = []
    const session = await open(await realServer(seen))
    expect(session).toMatchObject({ protocolVersion: '2026-07-28', instructions: 'Hello' })
    expect((await session.listTools(soon)).map(({ name }) => name)).toContain('echo')
    expect(await session.callTool('echo', { text: '€' }, soon)).toEqual({
      content: [{ type: 'text', text: '€' }],
      isError: false,
    })
    expect(seen.every((request) => request.headers.get('authorization') === 'Bearer s3cr3t')).toBe(true)
    await session.close()
    await session.closed
  })

  test('explains unknown tools, waits no longer than it may, and holds no result without measure', async () => {
    const session = await open(await realServer([]))
    await expect(session.callTool('nothing', {}, soon)).rejects.toMatchObject({ code: 'unknown_tool' })
    await expect(session.callTool('waits', {}, { ...soon, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'tool_timeout',
    })
    await expect(session.callTool('huge', {}, soon)).rejects.toMatchObject({
      code: 'too_large',
      message: 'Cannot call huge of remote: it answered -31413: expected at most 16777216 bytes',
    })
    expect(await session.callTool('echo', { text: 'still' }, soon)).toMatchObject({ isError: false })
  })

  test('hides its secrets in errors', async () => {
    const session = await open(await realServer([]))
    const told = session.callTool('the s3cr3t tool', {}, soon).catch((error: Error) => error.message)
    expect(await told).toContain('the *** tool')
    expect(await told).not.toContain('s3cr3t')
  })

  test('understands servers of older revisions, and refuses what is too large as a stream or at once', async () => {
    const peer = await peerThat(legacyServer)
    const session = await open(peer.mcp)
    expect(session.serverInfo).toEqual({ name: 'old', version: '1' })
    expect(await session.callTool('echo', {}, soon)).toMatchObject({ content: [{ text: 'old' }] })
    for (const tool of ['huge', 'huge-stream'])
      await expect(session.callTool(tool, {}, soon)).rejects.toMatchObject({ code: 'too_large' })
    await session.close()
    expect(peer.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'one' } })
  })

  test('gives a sign of life by the means of its era', async () => {
    const seen: Request[] = []
    const modern = await open(await realServer(seen))
    await modern.check(soon)
    expect(modern.era).toBe('modern')
    expect(seen.at(-1)?.headers.get('mcp-method')).toBe('tools/list')
    const peer = await peerThat(legacyServer)
    const legacy = await open(peer.mcp)
    await legacy.check(soon)
    expect(legacy.era).toBe('legacy')
    expect(JSON.parse(peer.seen.at(-1)?.body ?? '')).toMatchObject({ method: 'ping' })
  })

  test('repeats arguments in headers for a server that wants them there, and keeps what it gives', async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'real', version: '1' })
      const inputSchema = z.object({ place: z.string().meta({ 'x-mcp-header': 'Place' }) })
      server.registerTool('echo', { inputSchema }, async ({ place }) => ({
        content: [{ type: 'text', text: place }],
        _meta: { 'x.example/cost': 3 },
      }))
      return server
    })
    const seen: Request[] = []
    const server = await serveWeb((request) => {
      seen.push(request)
      return handler.fetch(request)
    })
    endings.push(() => server.stop())
    const session = await open(server.url)
    expect(await session.callTool('echo', { place: 'here' }, soon)).toEqual({
      content: [{ type: 'text', text: 'here' }],
      isError: false,
      _meta: { 'x.example/cost': 3 },
    })
    expect(seen.at(-1)?.headers.get('mcp-param-place')).toBe('here')
  })

  test('hears of changed tools', async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'real', version: '1' })
      server.registerTool('echo', {}, async () => ({ content: [] }))
      return server
    })
    let isListened = false
    const server = await serveWeb(async (request) => {
      const response = await handler.fetch(request)
      isListened ||= request.headers.get('mcp-method') === 'subscriptions/listen'
      return response
    })
    endings.push(() => server.stop())
    const session = await open(server.url)
    const news = new Promise<void>((resolve) => session.onToolsChanged(resolve))
    await expect.poll(() => isListened).toBe(true)
    handler.notify.toolsChanged()
    await news
  })

  test('is over when a server of an older revision does not know it any more', async () => {
    let isForgotten = false
    const peer = await peerThat((response, seen) =>
      isForgotten ? void response.writeHead(404).end() : legacyServer(response, seen),
    )
    const session = await open(peer.mcp)
    isForgotten = true
    await expect(session.callTool('echo', {}, soon)).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot call echo of remote: it ended the session',
    })
    await session.closed
  })
})

describe('a session over HTTP is refused', () => {
  test.each([
    ['http://example.com/mcp', 'expected https, or plain http to this machine'],
    ['ftp://127.0.0.1/mcp', 'expected https, or plain http to this machine'],
    ['https://me:s3cr3t@example.com/mcp', 'expected an address without user and password'],
  ])('%s', async (url, message) => {
    const error = await open(new URL(url)).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid_config', message: expect.stringContaining(message) })
    expect(String(error)).not.toContain('s3cr3t')
  })

  test('when it leads to another origin: nothing is sent there', async () => {
    const thief = await peerThat(json(200, {}))
    const peer = await peerThat(
      (response) => void response.writeHead(307, { location: `${thief.url}/mcp` }).end(),
    )
    await expect(open(peer.mcp)).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot connect to remote: it redirects to another origin, which is not followed',
    })
    expect(thief.seen).toEqual([])
  })

  test.each<[string, Reply, string]>([
    ['no key', json(401, {}), 'status 401; check its key in the headers'],
    [
      'a page',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'),
      'Cannot connect to remote: ',
    ],
    ['no answer', (response) => void response.destroy(), 'Cannot connect to remote: '],
    ['silence', () => {}, 'no answer within 500 ms'],
    [
      'half an answer',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      'no answer within 500 ms',
    ],
  ])('with %s', async (_, reply, message) => {
    const peer = await peerThat(reply)
    const connectTimeoutMs = message.includes('500 ms') ? 500 : 20_000
    const failed = { code: 'server_failed', message: expect.stringContaining(message) }
    await expect(open(peer.mcp, { connectTimeoutMs })).rejects.toMatchObject(failed)
  })

  test('where nobody is, by the system’s own word', async () => {
    const peer = await startPeer(json(200, {}))
    await peer.stop()
    await expect(open(new URL('/mcp', peer.url))).rejects.toMatchObject({
      code: 'server_failed',
      message: 'Cannot connect to remote: ECONNREFUSED',
    })
  })

  test('when nobody waits for it any more', async () => {
    const cancel = new AbortController()
    const peer = await peerThat(() => cancel.abort())
    await expect(open(peer.mcp, { signal: cancel.signal })).rejects.toMatchObject({ code: 'cancelled' })
  })
})

const legacyServer: Reply = (response, { method, body }) => {
  if (method !== 'POST') return void response.writeHead(405).end()
  const message = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } }
  if (message.id === undefined) return void response.writeHead(202).end()
  const answer = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: message.id, ...more })
  const send = (more: object) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
      .end(answer(more))
  const text = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } })
  if (message.method === 'initialize')
    return send({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      },
    })
  if (message.method !== 'tools/call') return send({ error: { code: -32601, message: 'Method not found' } })
  if (message.params?.name === 'huge') return send(text('x'.repeat(17 * 1024 * 1024)))
  if (message.params?.name === 'echo') return send(text('old'))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${answer(text('x'.repeat(17 * 1024 * 1024)))}\n\n`)
}
