import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { messageWith, nameOf, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'

const LIMIT = 100_000

let answer: RequestListener = (_request, response) => void response.end()
let upstream: Upstream
let registry: TestRegistry
/** A registry with very short timeouts. */
let impatient: TestRegistry
let key: Record<string, string>

beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(request, response))
  const servers = { it: { url: `http://127.0.0.1:${upstream.port}/mcp` } }
  const proxyLimits = { answerBytes: LIMIT, total: 4, perKey: 3 }
  registry = await startProxiedRegistry(servers, { proxyLimits })
  const short = { firstByteMs: 300, idleMs: 400, answerMs: 600 }
  impatient = await startProxiedRegistry(servers, { proxyLimits: { ...proxyLimits, ...short } })
  key = await registry.key('proxy:*')
})
afterEach(untilNoneRuns)
afterAll(() => Promise.all([registry.stop(), impatient.stop(), upstream.stop()]))

const JSON_HEAD = { 'Content-Type': 'application/json' }
const STREAM_HEAD = { 'Content-Type': 'text/event-stream' }

function call(init: RequestInit = {}): Promise<Response> {
  return registry.fetch(`/proxy/${nameOf('it')}`, { ...messageWith(key), ...init })
}

/** Returns the next request at the server, with its response still open. */
function nextAtServer(): Promise<{ request: IncomingMessage; response: ServerResponse }> {
  return new Promise((done) => (answer = (request, response) => done({ request, response })))
}

async function callImpatiently(): Promise<Response> {
  return impatient.fetch(`/proxy/${nameOf('it')}`, messageWith(await impatient.key('proxy:*')))
}

async function failure(calling = call()): Promise<unknown[]> {
  const response = await calling
  return [response.status, await response.json()]
}

const failed = (words: string) => [502, { error: 'upstream_failed', message: expect.stringContaining(words) }]

/** No test may leave a slot taken. */
async function untilNoneRuns(): Promise<void> {
  for (const { fetch } of [registry, impatient]) {
    await expect
      .poll(async () => (await fetch('/metrics')).text(), { timeout: 5000 })
      .toContain('pml_proxied_calls 0\n')
  }
}

describe('a server that', () => {
  it('never responds fails with a timeout', async () => {
    answer = () => {}
    expect(await failure(callImpatiently())).toMatchObject(failed('took too long to respond'))
  })

  it('closes the connection immediately is reported', async () => {
    answer = (request) => request.socket.destroy()
    expect(await failure()).toMatchObject(failed('closed the connection'))
  })

  it.each([301, 302, 303, 307, 308])(
    'redirects with %i fails, and the redirect is not followed',
    async (status) => {
      const other = await startUpstream((_request, response) => response.end())
      const Location = `http://127.0.0.1:${other.port}/elsewhere`
      answer = (_request, response) => response.writeHead(status, { Location }).end()
      const [code, body] = await failure()
      expect([code, body]).toMatchObject(failed('redirects'))
      expect(JSON.stringify(body)).not.toContain('elsewhere')
      expect(other.connections()).toBe(0)
      await other.stop()
    },
  )

  it('declares a body over the limit is refused', async () => {
    answer = (_request, response) =>
      response.writeHead(200, { ...JSON_HEAD, 'Content-Length': LIMIT + 1 }).flushHeaders()
    expect(await failure()).toMatchObject(failed(`over ${LIMIT} bytes`))
  })

  it('sends a body over the limit without declaring it is cut off', async () => {
    answer = (_request, response) => {
      response.writeHead(200, JSON_HEAD)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    const response = await call()
    let received = 0
    const reading = (async () => {
      for await (const chunk of response.body ?? []) received += chunk.length
    })()
    await expect(reading).rejects.toThrow('terminated')
    expect(received).toBeLessThanOrEqual(LIMIT)
    expect(registry.log.at(-1)).toContain(`over ${LIMIT} bytes`)
  })

  it('drips its response steadily is cut off', async () => {
    const dripping = nextAtServer()
    const calling = callImpatiently()
    const { response: drip } = await dripping
    drip.writeHead(200, JSON_HEAD)
    const timer = setInterval(() => drip.write(' '), 20)
    const gone = once(drip, 'close').finally(() => clearInterval(timer))
    await expect((await calling).text()).rejects.toThrow('terminated')
    await gone
    expect(impatient.log.at(-1)).toContain('took too long')
  })

  it('goes silent in a stream is cut off', async () => {
    answer = (_request, response) => void response.writeHead(200, STREAM_HEAD).write('data: 1\n\n')
    await expect((await callImpatiently()).text()).rejects.toThrow('terminated')
    expect(impatient.log.at(-1)).toContain('idle')
  })

  it.each([
    ['JSON', JSON_HEAD],
    ['stream', STREAM_HEAD],
  ])('cuts off its %s does not end it normally', async (_kind, head) => {
    answer = (request, response) =>
      void response.writeHead(200, head).write('{"half":', () => request.socket.destroy())
    await expect(call().then((response) => response.text())).rejects.toThrow('terminated')
    expect(registry.log.at(-1)).toContain('was cut off')
  })

  it('does not speak HTTP or does not listen is reported', async () => {
    const other = createServer((socket) => {
      socket.once('data', () => socket.end('220 mail ready\r\n'))
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const mail = await startProxiedRegistry({ it: { url: `http://127.0.0.1:${port}/` } })
    const headers = await mail.key('admin')
    const say = async () => {
      const response = await mail.fetch(`/proxy/${nameOf('it')}`, messageWith(headers))
      return [response.status, await response.json()]
    }
    expect(await say()).toMatchObject(failed('not HTTP'))
    await new Promise((done) => other.close(done))
    expect(await say()).toMatchObject(failed('refused the connection'))
    await mail.stop()
  })

  it('returns a page instead of MCP is reported', async () => {
    answer = (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>x</h1>')
    expect(await failure()).toMatchObject(failed('returned 200 with a body'))
    answer = (_request, response) =>
      response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>x</h1>')
    expect(await failure()).toMatchObject(failed('returned 503'))
    answer = (_request, response) => response.writeHead(799, JSON_HEAD).end('{}')
    expect(await failure()).toMatchObject(failed('not HTTP'))
  })

  it('refuses our credentials fails without a 401', async () => {
    answer = (_request, response) =>
      response.writeHead(401, { ...JSON_HEAD, 'WWW-Authenticate': 'Bearer realm="theirs"' }).end('{}')
    const response = await call()
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect([response.status, await response.json()]).toMatchObject(failed('credentials'))
  })

  it('refuses in JSON is passed on with status and body, otherwise with the status alone', async () => {
    answer = (_request, response) => response.writeHead(500, JSON_HEAD).end('{"jsonrpc":"2.0"}')
    expect(await failure()).toEqual([500, { jsonrpc: '2.0' }])
    answer = (_request, response) =>
      response.writeHead(405, { 'Content-Type': 'text/plain', Allow: 'POST' }).end('no such thing')
    const refused = await call({ method: 'GET', body: null })
    expect([refused.status, refused.headers.get('allow'), await refused.text()]).toEqual([405, 'POST', ''])
    answer = (_request, response) => response.writeHead(202, { 'Content-Type': 'text/plain' }).end('Accepted')
    const taken = await call()
    expect([taken.status, await taken.text(), taken.headers.get('content-type')]).toEqual([202, '', null])
  })
})

describe('a stream', () => {
  it('is passed on chunk by chunk, and ends when the server ends it', async () => {
    const arrived = nextAtServer()
    const calling = call()
    const { response: server } = await arrived
    server.writeHead(200, STREAM_HEAD).flushHeaders()
    const response = await calling
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      server.write(event)
      expect(await reader?.read()).toEqual({ done: false, value: event })
    }
    server.end()
    expect(await reader?.read()).toEqual({ done: true, value: undefined })
  })

  it.each(['the head', 'an event'])(
    'is closed at the server if the client disconnects after %s',
    async (point) => {
      const warnings = () => registry.log.filter((line) => line.includes('"level":40')).length
      const before = warnings()
      const arrived = nextAtServer()
      const leaving = new AbortController()
      const calling = call({ signal: leaving.signal })
      const { response: server } = await arrived
      const ended = once(server, 'close')
      server.writeHead(200, STREAM_HEAD).flushHeaders()
      const response = await calling
      if (point === 'an event') {
        server.write('data: 1\n\n')
        await response.body?.getReader().read()
      }
      leaving.abort()
      await ended
      await untilNoneRuns()
      expect(warnings()).toBe(before)
    },
  )

  it('is closed at the server if the client disconnects before it begins', async () => {
    const arrived = nextAtServer()
    const leaving = new AbortController()
    const calling = call({ signal: leaving.signal })
    const { response: server } = await arrived
    const ended = once(server, 'close')
    leaving.abort()
    await expect(calling).rejects.toThrow('aborted')
    await ended
  })
})

describe('a caller that', () => {
  it('does not read its response is disconnected', async () => {
    const arrived = nextAtServer()
    const { hostname, port } = new URL(impatient.url)
    const socket = connect(Number(port), hostname).pause()
    const lines = {
      ...messageWith(await impatient.key('proxy:*')).headers,
      Host: 'localhost',
      'Content-Length': '2',
    }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /proxy/${nameOf('it')} HTTP/1.1\r\n${head.join('')}\r\n{}`)
    const { response: server } = await arrived
    const ended = once(server, 'close')
    server.writeHead(200, STREAM_HEAD)
    const more = () => {
      while (!server.destroyed && server.write('x'.repeat(100_000)));
      server.once('drain', more)
    }
    more()
    await ended
    expect(impatient.log.at(-1)).toContain('idle')
    socket.destroy()
  })
})

describe('concurrent calls', () => {
  it('are limited per key and in total, and free their slots at the end', async () => {
    const open: ServerResponse[] = []
    let arrived = () => {}
    answer = (_request, response) => {
      open.push(response)
      response.writeHead(200, STREAM_HEAD).flushHeaders()
      arrived()
    }
    const start = async (headers: Record<string, string>) => {
      const there = new Promise<void>((done) => (arrived = done))
      const response = await call(messageWith(headers))
      await there
      return response
    }
    const running = [await start(key), await start(key), await start(key)]
    const fourth = await call()
    expect([fourth.status, fourth.headers.get('retry-after'), await fourth.json()]).toMatchObject([
      429,
      '2',
      { error: 'rate_limited', message: expect.stringContaining('3 calls') },
    ])
    const other = await registry.key('proxy:*')
    running.push(await start(other))
    const fifth = await call(messageWith(await registry.key('proxy:*')))
    expect([fifth.status, await fifth.json()]).toMatchObject([503, { error: 'unavailable' }])
    for (const response of open) response.end()
    for (const response of running) expect(await response.text()).toBe('')
    await untilNoneRuns()
    answer = (_request, response) => response.writeHead(200, JSON_HEAD).end('{}')
    expect((await call()).status).toBe(200)
  })
})
