import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startEverything, startGate, type RunningServer } from '../../test/proxy/mcp-servers.ts'
import { nameOf, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import type { TestRegistry } from '../../test/registry.ts'

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode']

let registry: TestRegistry
let everything: RunningServer
let gate: Awaited<ReturnType<typeof startGate>>
let clients: Client[] = []

beforeAll(async () => {
  ;[everything, gate] = await Promise.all([startEverything(), startGate()])
  registry = await startProxiedRegistry({ everything: { url: everything.url }, gate: { url: gate.url } })
})
afterEach(async () => {
  for (const client of clients) await client.close()
  clients = []
})
afterAll(() => Promise.all([registry.stop(), everything.stop(), gate.stop()]))

async function connect(server: string, mode: Mode) {
  const url = new URL(`${registry.url}/proxy/${nameOf(server)}`)
  const headers = await registry.key(`proxy:${nameOf(server)}`)
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  clients.push(client)
  await client.connect(transport)
  return { client, transport }
}

describe('the official client through the proxy', () => {
  it('uses a server of the older revisions with a session, from its start to its end', async () => {
    const { client, transport } = await connect('everything', 'legacy')
    expect(client.getServerVersion()?.name).toContain('everything')
    expect(transport.sessionId).toMatch(/./)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    const echo = await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
    expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hello' }])

    const seen: unknown[] = []
    const result = await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    expect(result.content).toMatchObject([{ text: expect.stringContaining('completed') }])
    expect(seen).toEqual([1, 2])

    const session = transport.sessionId ?? ''
    await transport.terminateSession()
    const after = await registry.fetch(`/proxy/${nameOf('everything')}`, {
      headers: { ...(await registry.key('admin')), 'Mcp-Session-Id': session, Accept: 'text/event-stream' },
    })
    expect([after.status, await after.json()]).toMatchObject([400, { error: { code: -32_000 } }])
  })

  it.each<[Mode & string, Mode, string]>([
    ['legacy', 'legacy', 'legacy'],
    ['auto', 'auto', 'modern'],
  ])('set to %s receives progress before the call ends', async (_name, mode, era) => {
    const { client } = await connect('gate', mode)
    expect(client.getProtocolEra()).toBe(era)
    const progress: unknown[] = []
    // The tool ends only after its progress has arrived, so buffered progress would block the test.
    const result = await client.callTool(
      { name: 'wait', arguments: {} },
      {
        onprogress: ({ message }) => {
          progress.push(message)
          gate.open()
        },
      },
    )
    expect(progress).toEqual(['at the gate'])
    expect(result.content).toEqual([{ type: 'text', text: 'through' }])
  })
})
