import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { info, startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'
import { eras, legacy, modern, post } from '../../test/mcp/post.ts'
import type { Era } from './options.ts'

const everyEra = ['modern', 'legacy'] as const
const call = (era: Era, name: string, args: unknown = {}) =>
  eras[era]('tools/call', { name, arguments: args })

let server: MemoServer
beforeEach(async () => {
  server = await startMemoServer()
})
afterEach(() => server.stop())

describe.each(everyEra)('a list of tools in the %s era', (era) => {
  const list = (headers: Record<string, string> = {}) => {
    const { headers: own, body } = eras[era]('tools/list')
    return post(server.url, { headers: { ...own, ...headers }, body })
  }

  it('contains the tools that the caller may use, sorted by name, without scopes', async () => {
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

  it('is longer for a caller with more permissions', async () => {
    const { message } = await list({ 'x-scopes': 'admin' })
    const tools = message.result?.tools as Record<string, unknown>[]
    const wipe = tools.find(({ name }) => name === 'memo_wipe')
    expect(wipe).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } })
    expect(wipe).not.toHaveProperty('scope')
  })

  it('has the same bytes each time', async () => {
    expect((await list()).text).toBe((await list()).text)
  })

  it('no longer contains a disabled tool', async () => {
    server.registry.disable('memo_echo')
    expect((await list()).text).not.toContain('memo_echo')
  })

  it('has one page and no cursor', async () => {
    const { message } = await post(server.url, eras[era]('tools/list', { cursor: 'next' }))
    expect(message.error).toMatchObject({ code: -32602 })
  })
})

it('tells modern clients how long it is valid, and that it is private', async () => {
  const { message } = await post(server.url, modern('tools/list'))
  expect(message.result).toMatchObject({
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': info },
  })
})

it('describes the server to a modern client', async () => {
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
  'negotiates %s with a client that requests it',
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
  it('returns the output as an object and as text', async () => {
    const { status, headers, message } = await post(server.url, call(era, 'memo_echo', { text: 'Ä' }))
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(message).toMatchObject({
      id: 1,
      result: { structuredContent: { text: 'Ä' }, content: [{ type: 'text', text: '{"text":"Ä"}' }] },
    })
    expect(message.result).not.toHaveProperty('isError')
  })

  it('of a tool that does not exist is a protocol error that suggests the nearest', async () => {
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
    ['memo_break', 'internal_error', 'Cannot finish because of a fault here'],
    ['memo_hang', 'tool_timeout', 'Cannot finish memo_hang: it took longer than 0.02 s'],
  ])('of %s fails with %s, readable for the model', async (tool, error, text) => {
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

  it('treats missing arguments as none', async () => {
    const { message } = await post(server.url, eras[era]('tools/call', { name: 'memo_echo' }))
    expect(errorIn(message.result, era)).toMatchObject({ error: 'invalid_arguments' })
  })

  it.each([{}, { 'mcp-session-id': 'mine' }])('is aborted when its client disconnects (%j)', async (more) => {
    const gone = new AbortController()
    const { headers, body } = call(era, 'memo_wait')
    const answer = post(server.url, { headers: { ...headers, ...more }, body, signal: gone.signal })
    const signal = await server.waits.next()
    gone.abort()
    await expect(answer).rejects.toThrow('abort')
    await aborted(signal)
    expect(signal.reason).toMatchObject({ code: 'cancelled' })
  })

  it('hides an internal error of the toolbox from the caller but reports it', async () => {
    server.registry.find = () => {
      throw new Error('the secret password is 1234')
    }
    const { message, text } = await post(server.url, call(era, 'memo_echo', { text: 'x' }))
    expect(message.error).toMatchObject({ code: -32603, message: 'Internal error' })
    expect(text).not.toContain('1234')
    expect(server.faults).toHaveLength(1)
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
