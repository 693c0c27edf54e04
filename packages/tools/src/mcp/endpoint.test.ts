import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { info, startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'
import { eras, headersOf, legacy, modern, post, postWithoutEnd } from '../../test/mcp/post.ts'
import { createMcpEndpoint } from './endpoint.ts'
import type { Era } from './options.ts'
import { createToolServer } from './tool-server.ts'

const everyEra = ['modern', 'legacy'] as const
const call = (era: Era, name: string, args: unknown = {}) =>
  eras[era]('tools/call', { name, arguments: args })

let server: MemoServer
beforeEach(async () => {
  server = await startMemoServer({ maxBodyBytes: 10_000 })
})
afterEach(() => server.stop())

describe.each(everyEra)('a list of tools in the %s era', (era) => {
  const list = (headers: Record<string, string> = {}) => {
    const { headers: own, body } = eras[era]('tools/list')
    return post(server.url, { headers: { ...own, ...headers }, body })
  }

  it('has what the caller may use, by name, without scopes', async () => {
    const { message } = await list()
    const tools = message.result?.tools as Record<string, unknown>[]
    expect(tools.map(({ name }) => name)).toEqual([
      'memo_break',
      'memo_echo',
      'memo_hang',
      'memo_lose',
      'memo_wait',
    ])
    expect(tools[1]).toEqual({
      name: 'memo_echo',
      description: 'Gives back the text.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    })
  })

  it('has more for a caller that may do more', async () => {
    const { message } = await list({ 'x-scopes': 'admin' })
    const tools = message.result?.tools as Record<string, unknown>[]
    const wipe = tools.find(({ name }) => name === 'memo_wipe')
    expect(wipe).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } })
    expect(wipe).not.toHaveProperty('scope')
  })

  it('is the same bytes each time', async () => {
    expect((await list()).text).toBe((await list()).text)
  })

  it('loses a tool as soon as it is disabled', async () => {
    server.registry.disable('memo_echo')
    expect((await list()).text).not.toContain('memo_echo')
  })

  it('has one page, so that no cursor leads anywhere', async () => {
    const { message } = await post(server.url, eras[era]('tools/list', { cursor: 'next' }))
    expect(message.error).toMatchObject({ code: -32602 })
  })
})

it('tells modern clients how long a list holds, and that it is theirs alone', async () => {
  const { message } = await post(server.url, modern('tools/list'))
  expect(message.result).toMatchObject({
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': info },
  })
})

it('introduces itself to a modern client', async () => {
  const { status, message } = await post(server.url, modern('server/discover'))
  expect(status).toBe(200)
  expect(message.result).toMatchObject({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'Write memos.',
    cacheScope: 'public',
  })
})

it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'agrees on %s with a client that asks for it',
  async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const { status, message } = await post(server.url, {
      headers: {},
      body: legacy('initialize', params).body,
    })
    expect(status).toBe(200)
    expect(message.result).toEqual({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: info,
      instructions: 'Write memos.',
    })
  },
)

describe.each(everyEra)('a call in the %s era', (era) => {
  it('gives the output as an object and as its text', async () => {
    const { status, headers, message } = await post(server.url, call(era, 'memo_echo', { text: 'Ä' }))
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(message).toMatchObject({
      id: 1,
      result: { structuredContent: { text: 'Ä' }, content: [{ type: 'text', text: '{"text":"Ä"}' }] },
    })
    expect(message.result).not.toHaveProperty('isError')
  })

  it('of a tool that does not exist is a protocol error that names the nearest', async () => {
    const { status, message } = await post(server.url, call(era, 'memo_ehco'))
    expect(status).toBe(200)
    const text = "There is no tool 'memo_ehco'; did you mean 'memo_echo'?"
    expect(message.error).toEqual({
      code: -32602,
      message: text,
      data: { error: 'unknown_tool', message: text },
    })
  })

  it('of a disabled tool finds none', async () => {
    server.registry.disable('memo_echo')
    const { message } = await post(server.url, call(era, 'memo_echo', { text: 'x' }))
    expect(message.error).toMatchObject({ code: -32602, data: { error: 'unknown_tool' } })
  })

  it.each([
    ['memo_wipe', 'forbidden', 'Cannot do this without admin'],
    ['memo_lose', 'not_found', 'There is no such memo'],
    ['memo_break', 'internal_error', 'Cannot finish memo_break because of a fault here'],
    ['memo_hang', 'tool_timeout', 'Cannot finish memo_hang: it took longer than 0.02 s'],
  ])('of %s fails with %s, for the model to read', async (tool, error, text) => {
    const { status, message, text: whole } = await post(server.url, call(era, tool))
    expect(status).toBe(200)
    expect(message.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    expect(errorIn(message.result, era)).toMatchObject({ error, message: text })
    expect(whole).not.toContain('1234')
  })

  it('shows the details of an error beside its code', async () => {
    const { message } = await post(server.url, call(era, 'memo_lose'))
    const error = { error: 'not_found', message: 'There is no such memo', memo: 7 }
    expect(errorIn(message.result, era)).toEqual(error)
  })

  it.each([
    ['a wrong type', '{"text":1}', ['text']],
    ['a stranger', '{"text":"x","more":1}', ['more']],
    ['a prototype', '{"text":"x","__proto__":{"text":1}}', ['__proto__']],
  ])('refuses %s among the arguments', async (_what, args, path) => {
    const { headers, body } = call(era, 'memo_echo', 'ARGS')
    const { message } = await post(server.url, {
      headers,
      body: JSON.stringify(body).replace('"ARGS"', args),
    })
    expect(message.result).toMatchObject({ isError: true })
    expect(errorIn(message.result, era)).toMatchObject({ error: 'invalid_arguments', issues: [{ path }] })
  })

  it.each([['text'], [[1]], [7]])('refuses %j as arguments', async (args) => {
    const { message } = await post(server.url, call(era, 'memo_echo', args))
    expect(message.error).toMatchObject({ code: -32602 })
  })

  it('takes missing arguments as none', async () => {
    const { message } = await post(server.url, eras[era]('tools/call', { name: 'memo_echo' }))
    expect(errorIn(message.result, era)).toMatchObject({ error: 'invalid_arguments' })
  })

  it.each([{}, { 'mcp-session-id': 'mine' }])(
    'is told to stop when its client goes away (%j)',
    async (more) => {
      const gone = new AbortController()
      const { headers, body } = call(era, 'memo_wait')
      const answer = post(server.url, { headers: { ...headers, ...more }, body, signal: gone.signal })
      const signal = await server.waits.next()
      gone.abort()
      await expect(answer).rejects.toThrow('abort')
      await aborted(signal)
      expect(signal.reason).toMatchObject({ code: 'cancelled' })
    },
  )

  it('says nothing of a fault in the toolbox itself but reports it', async () => {
    server.registry.find = () => {
      throw new Error('the secret password is 1234')
    }
    const { message, text } = await post(server.url, call(era, 'memo_echo', { text: 'x' }))
    expect(message.error).toMatchObject({ code: -32603, message: 'Internal error' })
    expect(text).not.toContain('1234')
    expect(server.faults).toHaveLength(1)
  })
})

describe('a legacy client', () => {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const open = async () => {
    const { headers } = await post(server.url, { headers: {}, body: legacy('initialize', params).body })
    return headers.get('mcp-session-id') ?? ''
  }
  const cancel = (session: string) =>
    post(server.url, {
      headers: { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    })

  it('cancels a call of its own session by a message, and of no other', async () => {
    const [mine, other] = [await open(), await open()]
    const { headers, body } = call('legacy', 'memo_wait')
    const answer = post(server.url, { headers: { ...headers, 'mcp-session-id': mine }, body })
    const signal = await server.waits.next()
    expect((await cancel(other)).status).toBe(202)
    expect(signal.aborted).toBe(false)
    expect((await cancel(mine)).status).toBe(202)
    expect(signal.aborted).toBe(true)
    expect((await answer).message.result).toMatchObject({
      isError: true,
      _meta: { error: { error: 'cancelled' } },
    })
  })

  it('gets a JSON object in structuredContent only where it fits the schema', async () => {
    const { message } = await post(server.url, call('legacy', 'memo_lose'))
    expect(message.result).not.toHaveProperty('structuredContent')
  })

  it('may send a batch where its revision knows batches', async () => {
    const [one, two] = [legacy('ping').body, { ...legacy('ping').body, id: 2 }]
    const { status } = await post(server.url, {
      headers: { 'mcp-protocol-version': '2025-03-26' },
      body: [one, two],
    })
    expect(status).toBe(200)
  })
})

describe('a wrong request', () => {
  const tool = { name: 'memo_echo', arguments: { text: 'x' } }
  const whole = modern('tools/call', tool)
  const old = legacy('tools/call', tool)
  const withHeaders = (
    headers: Record<string, string | undefined>,
    from: typeof whole | typeof old = whole,
  ) => ({
    headers: { ...from.headers, ...headers },
    body: from.body,
  })
  const version = 'io.modelcontextprotocol/protocolVersion'
  const future = {
    headers: { ...whole.headers, 'mcp-protocol-version': '2099-01-01' },
    body: JSON.stringify(whole.body).replace(`"${version}":"2026-07-28"`, `"${version}":"2099-01-01"`),
  }

  it.each([
    ['an unknown revision', future, 400, -32022],
    ['an unknown legacy revision', withHeaders({ 'mcp-protocol-version': '2020-01-01' }, old), 400, -32000],
    ['no version header', withHeaders({ 'mcp-protocol-version': undefined }), 400, -32020],
    ['another version in the header', withHeaders({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
    ['no method header', withHeaders({ 'mcp-method': undefined }), 400, -32020],
    ['another method in the header', withHeaders({ 'mcp-method': 'tools/list' }), 400, -32020],
    ['no name header', withHeaders({ 'mcp-name': undefined }), 400, -32020],
    ['another name in the header', withHeaders({ 'mcp-name': 'memo_lose' }), 400, -32020],
    ['no envelope', { headers: whole.headers, body: old.body }, 400, -32602],
    ['an unknown method', modern('memos/list'), 404, -32601],
    ['an unknown legacy method', legacy('memos/list'), 200, -32601],
    ['a method that modern clients lost', modern('ping'), 404, -32601],
    ['a batch', { headers: whole.headers, body: [whole.body] }, 400, -32600],
    ['a batch in 2025-11-25', { headers: old.headers, body: [old.body] }, 400, -32600],
    ['an empty batch', { headers: {}, body: [] }, 400, -32600],
    ['broken JSON', { headers: whole.headers, body: '{"jsonrpc":' }, 400, -32700],
    ['nothing', { headers: whole.headers, body: '' }, 400, -32700],
    ['JSON that is no message', { headers: whole.headers, body: '"tools/call"' }, 400, -32600],
    ['null', { headers: {}, body: 'null' }, 400, -32600],
    ['another content type', withHeaders({ 'content-type': 'text/plain' }), 415, -32000],
    ['no content type', withHeaders({ 'content-type': undefined }), 415, -32000],
    ['a legacy client that takes no streams', withHeaders({ accept: 'application/json' }, old), 406, -32000],
    ['a body over the limit', { headers: {}, body: ' '.repeat(10_001) }, 413, -32600],
  ])('with %s is refused', async (_what, request, status, code) => {
    const answer = await post(server.url, request)
    expect({ status: answer.status, code: answer.message.error?.code }).toEqual({ status, code })
  })

  it.each([
    ['in chunks', { sentBytes: 10_001 }],
    ['of a length', { sentBytes: 1, declaredBytes: 10_001 }],
  ])('%s is refused as soon as it is known to be over the limit', async (_how, body) => {
    const { status, message } = await postWithoutEnd(server.url, body)
    expect(status).toBe(413)
    expect(message.error?.data).toMatchObject({ error: 'too_large', limit: 10_000 })
  })

  it('names the revisions there are', async () => {
    const { message } = await post(server.url, future)
    expect(message.error?.data).toEqual({ supported: ['2026-07-28'], requested: '2099-01-01' })
  })

  it.each(['GET', 'DELETE', 'PUT'])('by %s is refused', async (method) => {
    const { status, headers } = await fetch(server.url, { method, headers: { accept: 'text/event-stream' } })
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' })
  })

  it('leaves the server as it was', async () => {
    await postWithoutEnd(server.url, { sentBytes: 10_001 })
    const { message } = await post(server.url, whole)
    expect(message.result).toMatchObject({ structuredContent: { text: 'x' } })
  })
})

describe.each(everyEra)('the short way to an answer in the %s era', (era) => {
  it.each([
    eras[era]('tools/list'),
    call(era, 'memo_echo', { text: 'x' }),
    call(era, 'memo_echo', {}),
    call(era, 'memo_echo', JSON.parse('{"text":"x","__proto__":{}}')),
    call(era, 'memo_lose'),
    call(era, 'memo_none'),
    eras[era]('tools/call', { name: 'memo_lose' }),
  ])('says byte for byte what the SDK says to %j', async ({ headers, body }) => {
    const session = { toolbox: server.toolbox, caller: { scopes: [] }, era, onFault: () => {} }
    const sdk = createMcpHandler(() => createToolServer(session, { info, onFault: () => {} }))
    const response = await sdk.fetch(
      new Request(server.url, { method: 'POST', headers: headersOf(headers), body: JSON.stringify(body) }),
    )
    const said = await response.text()
    expect((await post(server.url, { headers, body })).text).toBe(/^data: (.*)$/m.exec(said)?.[1] ?? said)
  })
})

describe('a server that reads bodies itself', () => {
  const caller = { scopes: [] }
  const { signal } = new AbortController()
  const messageOf = ({ headers, body }: { headers: Record<string, string | undefined>; body: unknown }) => ({
    headers: new Headers(headersOf(headers)),
    body,
    signal,
  })

  it('gets the bytes that fetch would send', async () => {
    const endpoint = createMcpEndpoint(server.toolbox, { info, onFault: () => {} })
    const request = call('modern', 'memo_echo', { text: 'x' })
    const { text } = await post(server.url, request)
    expect(await endpoint.answer(messageOf(request), caller)).toBe(text)
  })

  it.each([
    ['a handshake', legacy('initialize')],
    ['a mismatched header', { ...modern('tools/list'), headers: modern('server/discover').headers }],
    ['a batch', { headers: {}, body: [legacy('tools/list').body] }],
    ['nothing', { headers: {}, body: undefined }],
  ])('is sent to fetch with %s', async (_what, request) => {
    const endpoint = createMcpEndpoint(server.toolbox, { info, onFault: () => {} })
    expect(await endpoint.answer(messageOf(request), caller)).toBeUndefined()
  })
})

function errorIn(result: Record<string, unknown> | undefined, era: Era): unknown {
  const { structuredContent, _meta: meta } = (result ?? {}) as Record<string, { error?: unknown }>
  return era === 'modern' ? structuredContent : meta?.error
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
