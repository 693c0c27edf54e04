import { fileURLToPath } from 'node:url'
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { info, startMemoServer, type MemoServer } from '../../test/mcp/memo-server.ts'

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode']

const program = fileURLToPath(new URL('../../test/mcp/memo-stdio.ts', import.meta.url))
const modes: [string, Mode, 'modern' | 'legacy'][] = [
  ['legacy', 'legacy', 'legacy'],
  ['auto', 'auto', 'modern'],
  ['2026-07-28', { pin: '2026-07-28' }, 'modern'],
]

let server: MemoServer
let said = ''
let opened: Client[] = []
beforeEach(async () => {
  server = await startMemoServer()
  said = ''
  opened = []
})
afterEach(async () => {
  for (const client of opened) await client.close()
  await server.stop()
})

const overHttp = (): Transport =>
  new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { 'x-scopes': 'admin' } },
  })

const overStdio = (): Transport => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=pml-source', '--import', 'tsx', program],
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  return transport
}

const transports = [
  ['HTTP', overHttp],
  ['stdio', overStdio],
] as const

async function connect(transport: Transport, mode: Mode): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  opened.push(client)
  await client.connect(transport)
  return client
}

describe.each(transports)('the official client over %s', (_name, open) => {
  it.each(modes)('set to %s lists and calls tools', async (_mode, mode, era) => {
    const client = await connect(open(), mode)
    expect(client.getProtocolEra()).toBe(era)
    expect(client.getServerVersion()).toMatchObject(info)
    expect(client.getInstructions()).toBe('Write memos.')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'memo_break',
      'memo_echo',
      'memo_hang',
      'memo_lose',
      'memo_wait',
      'memo_wipe',
    ])
    const result = await client.callTool({ name: 'memo_echo', arguments: { text: 'hello' } })
    expect(result).toMatchObject({
      structuredContent: { text: 'hello' },
      content: [{ type: 'text', text: '{"text":"hello"}' }],
    })
  })

  it.each(modes)('set to %s reads errors', async (_mode, mode, era) => {
    const client = await connect(open(), mode)
    await client.listTools()
    const { _meta: meta, ...lost } = await client.callTool({ name: 'memo_lose' })
    expect(lost).toMatchObject({ isError: true, content: [{ text: 'There is no such memo' }] })
    expect(era === 'modern' ? lost.structuredContent : meta?.error).toMatchObject({ error: 'not_found' })
    await expect(client.callTool({ name: 'memo_none' })).rejects.toMatchObject({
      code: -32602,
      data: { error: 'unknown_tool' },
    })
  })
})

it.each(modes)('the official client over HTTP, set to %s, can cancel a call', async (_mode, mode) => {
  const client = await connect(overHttp(), mode)
  const stop = new AbortController()
  const call = client.callTool({ name: 'memo_wait' }, { signal: stop.signal })
  const signal = await server.waits.next()
  stop.abort('enough')
  await expect(call).rejects.toThrow('enough')
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(signal.reason).toMatchObject({ code: 'cancelled' })
})

describe('over stdio', () => {
  it.each(modes)('a client set to %s can cancel a call', async (_mode, mode) => {
    const transport = overStdio() as StdioClientTransport
    const client = await connect(transport, mode)
    const stop = new AbortController()
    const call = client.callTool({ name: 'memo_wait' }, { signal: stop.signal })
    await stderrHas(transport, 'waiting')
    stop.abort('enough')
    await expect(call).rejects.toThrow('enough')
    await stderrHas(transport, 'told to stop')
  })

  it('a client that disconnects ends running calls and the program', async () => {
    const transport = overStdio() as StdioClientTransport
    const client = await connect(transport, 'legacy')
    const call = client.callTool({ name: 'memo_wait' })
    await stderrHas(transport, 'waiting')
    const end = call.catch((error: unknown) => error)
    await client.close()
    expect(String(await end)).toContain('closed')
    await stderrHas(transport, 'told to stop')
    await stderrHas(transport, 'closed')
  })

  it('a message over the limit ends the connection', async () => {
    const transport = overStdio() as StdioClientTransport
    const client = await connect(transport, 'legacy')
    const call = client.callTool({ name: 'memo_echo', arguments: { text: 'x'.repeat(10_001) } })
    await expect(call).rejects.toThrow('closed')
  })
})

async function stderrHas({ stderr }: StdioClientTransport, line: string): Promise<void> {
  while (!said.includes(`${line}\n`)) await new Promise((resolve) => stderr?.once('data', resolve))
}
