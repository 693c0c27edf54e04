import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageWith, nameOf, startProxiedRegistry } from '../../test/proxy/proxied-registry.ts'
import { startUpstream, type Upstream } from '../../test/proxy/upstream.ts'
import type { TestRegistry } from '../../test/registry.ts'

const TOKEN = 'tok-3c1f/operator+"q'
const PART = 'Path-9d20-operator'

let answer: RequestListener
let upstream: Upstream
let registry: TestRegistry
let key: Record<string, string>

beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(request, response))
  const url = `http://127.0.0.1:${upstream.port}/\${UP_PART}/mcp?k=\${UP_TOKEN}`
  const headers = { Authorization: 'Bearer ${UP_TOKEN}', 'X-Auth': '${UP_AUTH}', 'Accept-Encoding': 'gzip' }
  registry = await startProxiedRegistry(
    { it: { url, headers } },
    { variables: { UP_TOKEN: TOKEN, UP_PART: PART, UP_AUTH: 'Bearer other-7f7f-operator' } },
  )
  key = await registry.key('proxy:*')
})
afterAll(() => Promise.all([registry.stop(), upstream.stop()]))

const call = () => registry.fetch(`/proxy/${nameOf('it')}`, messageWith(key))
const JSON_HEAD = { 'Content-Type': 'application/json' }
const STREAM_HEAD = { 'Content-Type': 'text/event-stream' }
/** Expects no usable part of either secret. */
const TELLING = /3c1f|9d20|operat/i

async function shownOf(response: Response): Promise<string> {
  return JSON.stringify([...response.headers]) + (await response.text())
}

describe('a server that echoes secrets', () => {
  it.each([200, 400, 500])('in the whole request, with status %i, reveals none', async (status) => {
    answer = (request, response) => {
      const { url, headers, rawHeaders } = request
      const basic = Buffer.from(`user:${TOKEN}`).toString('base64')
      response
        .writeHead(status, JSON_HEAD)
        .end(JSON.stringify({ url, headers, rawHeaders, basic, end: 'end' }))
    }
    const response = await call()
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(text).not.toMatch(TELLING)
    expect(text).not.toContain(Buffer.from(TOKEN).toString('base64').slice(4, 16))
    expect(JSON.parse(text)).toMatchObject({
      url: '/***/mcp?k=***',
      headers: { authorization: 'Bearer ***', 'accept-encoding': 'identity' },
      end: 'end',
    })
  })

  it('in headers reveals none', async () => {
    answer = (_request, response) =>
      response
        .writeHead(200, {
          'Content-Type': `application/json; for="${PART}"`,
          'Mcp-Session-Id': `for ${PART}`,
          [`Mcp-${PART}`]: '1',
          'Retry-After': encodeURIComponent(TOKEN),
        })
        .end('{}')
    const response = await call()
    expect(response.headers.get('mcp-session-id')).toBe('for ***')
    expect(await shownOf(response)).not.toMatch(TELLING)
  })

  it('byte by byte in a stream reveals none, and other bytes arrive immediately', async () => {
    const streaming = new Promise<ServerResponse>((done) => (answer = (_request, response) => done(response)))
    const calling = call()
    const server = await streaming
    server.writeHead(200, STREAM_HEAD).flushHeaders()
    const reader = (await calling).body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    const until = async (text: string) => {
      while (!seen.includes(text)) seen += (await reader?.read())?.value ?? ''
    }
    server.write('data: first\n\n')
    await until('first\n\n')
    server.write(`data: ${PART.slice(0, 9)}`)
    server.write(PART.slice(9, -1))
    await until('data: ')
    for (const byte of `${PART.slice(-1)} and ${TOKEN}\n\ndata: ${PART.slice(0, -1)}`)
      await new Promise((done) => server.write(byte, done))
    await until('and ***\n\n')
    expect(seen).toBe('data: first\n\ndata: *** and ***\n\ndata: '.slice(0, seen.length))
    server.end()
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) seen += read.value
    expect(seen).toBe('data: first\n\ndata: *** and ***\n\ndata: ***')
  })

  it.each([
    ['compressed', { ...JSON_HEAD, 'Content-Encoding': 'gzip' }, gzipSync(`{"a":"${PART}"}`)],
    ['compressed as a stream', { ...STREAM_HEAD, 'Content-Encoding': 'br' }, Buffer.from('x')],
    [
      'in UTF-16',
      { 'Content-Type': 'application/json; charset=utf-16le' },
      Buffer.from(`"${PART}"`, 'utf16le'),
    ],
  ])('%s is refused', async (_how, head, body) => {
    answer = (_request, response) => response.writeHead(200, head).end(body)
    const response = await call()
    expect([response.status, await response.json()]).toMatchObject([
      502,
      {
        error: 'upstream_failed',
        message: expect.stringMatching(/its response is (compressed|not in UTF-8)/),
      },
    ])
  })

  it('reveals none in the log', () => {
    expect(registry.log.join('\n')).not.toMatch(TELLING)
  })
})
