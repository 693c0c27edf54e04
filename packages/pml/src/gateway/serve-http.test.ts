import { request, type IncomingMessage } from 'node:http'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeServedPlace, textIn, tool, type ServedPlace } from '../../test/served.ts'

const bin = fileURLToPath(new URL('../../bin/pml.js', import.meta.url))

interface Listening {
  readonly child: ChildProcess
  readonly url: string
  readonly token: string
}

let place: ServedPlace
let running: Listening
let clients: Client[] = []

beforeEach(async () => {
  clients = []
  place = await makeServedPlace()
  await place.config({ allow: ['one:echo'] })
  await place.server('one', [tool('echo'), tool('wait')])
  expect((await place.run('mcp', 'test', 'one')).exit).toBe(0)
  running = await listen()
})
afterEach(async () => {
  for (const client of clients) await client.close()
  running.child.kill('SIGTERM')
  if (running.child.exitCode === null) await once(running.child, 'exit')
  await place.remove()
})

async function listen(): Promise<Listening> {
  const child = spawn(process.execPath, [bin, 'serve', '--http'], { cwd: place.root, env: place.env })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { url: string; token: string }) }
}

async function connect(mode: 'legacy' | 'modern', answer?: string): Promise<Client> {
  const client = new Client(
    { name: 'agent', version: '7' },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer } }))
  clients.push(client)
  const headers = { Authorization: `Bearer ${running.token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit: { headers } }))
  return client
}

describe.each(['legacy', 'modern'] as const)('over HTTP, an agent of the %s era', (mode) => {
  it('lists and calls tools', async () => {
    const client = await connect(mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('one__echo')
    const result = await client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })
    expect(textIn(result)).toBe('Echo: hi')
  })

  it('is asked through its dialog', async () => {
    const client = await connect(mode, 'no')
    const result = await client.callTool({ name: 'one__wait' })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).toContain('"rejected"')
  })

  it('has its call finished when the gateway is ended in the middle of it', async () => {
    const { hostname, port } = new URL(running.url)
    const authorization = `Bearer ${running.token}`
    const late = request({ hostname, port, path: '/mcp', method: 'POST', headers: { authorization } })
    late.write('{"jsonrpc": "2.0", "id": 1, ')
    const client = await connect(mode, 'yes')
    const exit = once(running.child, 'exit')
    const until = join(place.root, 'go')
    let refused: unknown
    // A question counts as progress too; this is that of the tool.
    const end = async ({ message }: { message?: string }) => {
      if (message !== 'half') return
      running.child.kill('SIGTERM')
      await expect.poll(() => ask({}).catch(({ code }) => code)).toBe('ECONNREFUSED')
      late.end('"method": "ping"}')
      const [response] = (await once(late, 'response')) as [IncomingMessage]
      refused = response.resume().statusCode
      await writeFile(until, '')
    }
    const call = { name: 'one__wait', arguments: { until } }
    expect(textIn(await client.callTool(call, { onprogress: (progress) => void end(progress) }))).toBe(
      'released',
    )
    expect(refused).toBe(503)
    expect(await exit).toEqual([0, null])
  })
})

/** What `fetch` would not let us send. */
function ask(headers: Record<string, string>, path = '/mcp'): Promise<number | undefined> {
  const { hostname, port } = new URL(running.url)
  return new Promise((done, fail) => {
    const asking = request(
      { hostname, port, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume()
        done(response.statusCode)
      },
    )
    asking.on('error', fail)
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  })
}

describe('the door', () => {
  const good = () => ({ authorization: `Bearer ${running.token}` })

  it('serves clients that send the token', async () => {
    expect(await ask(good())).not.toBeOneOf([401, 403, 404])
  })

  it.each([
    ['no token', {}, 401],
    ['another token', { authorization: 'Bearer x' }, 401],
    ['a token that is longer', { authorization: 'Bearer TOKENx' }, 401],
    ['another origin', { authorization: 'Bearer TOKEN', origin: 'https://evil.example' }, 403],
    ['an origin that is no address', { authorization: 'Bearer TOKEN', origin: 'null' }, 403],
    ['another host name', { authorization: 'Bearer TOKEN', host: 'evil.example' }, 403],
    ['a session that nobody began', { authorization: 'Bearer TOKEN', 'mcp-session-id': 'x' }, 404],
  ])('is closed for %s', async (_what, headers, status) => {
    const filled = Object.entries(headers).map(([key, value]) => [key, value.replace('TOKEN', running.token)])
    expect(await ask(Object.fromEntries(filled) as Record<string, string>)).toBe(status)
  })

  it('is closed for a body that is too large, and says so', async () => {
    const { hostname, port } = new URL(running.url)
    const asking = request({ hostname, port, path: '/mcp', method: 'POST', headers: good() })
    asking.on('error', () => undefined)
    asking.end('x'.repeat(5 * 1024 * 1024))
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(413)
  })

  it('has one address', async () => {
    expect(await ask(good(), '/')).toBe(404)
  })

  it('listens on this machine alone', () => {
    expect(new URL(running.url).hostname).toBe('127.0.0.1')
  })
})

it.each([[['--port', '8080']], [['--http', '--port', 'x']], [['--http', '--port', '65536']]])(
  'is not started with %j',
  async (argv) => {
    expect(await place.run('serve', ...argv)).toMatchObject({ exit: 2, stdout: '' })
  },
)

it('is not started where another program listens, and leaves nothing behind', async () => {
  const { port } = new URL(running.url)
  const { exit, stdout, stderr } = await place.run('serve', '--http', '--port', port)
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain(
    `Cannot listen on 127.0.0.1:${port}: another program listens there; choose another with --port`,
  )
  const files = await readdir(join(place.env['XDG_STATE_HOME'] ?? '', 'pml', 'gateways'))
  expect(files).toEqual([`${running.child.pid}.json`])
})

it('gives its token to no server', async () => {
  Object.assign(place.env, { PML_GATEWAY_TOKEN: 'hunter2' })
  await place.server('two', [tool('echo')], { env: { GIVEN: '${PML_GATEWAY_TOKEN}' } })
  const { stdout } = await place.run('mcp', 'test', 'two', '--json')
  expect(stdout).toContain('it needs PML_GATEWAY_TOKEN')
  expect(stdout).not.toContain('hunter2')
})
