import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serve, type Serving } from './serve.ts'

let serving: Serving

beforeAll(async () => {
  const listener: Parameters<typeof serve>[0] = (_, response) => response.end('{"reached":true}')
  serving = await serve(listener, { port: 0, host: '127.0.0.1' })
})
afterAll(() => serving.stop(1000))

/** Sends raw bytes and returns the whole response, until the server closes the connection. */
function raw(text: string): Promise<string> {
  return new Promise((done) => {
    let answer = ''
    const socket = connect(Number(new URL(serving.url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.on('close', () => done(answer))
    socket.on('error', () => done(answer))
  })
}

it.each([
  ['a backslash in the path', 'GET /mcp/\\ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a bad host', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
  ['a host with credentials', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n', 400],
  ['a host with a bad port', 'GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n', 400],
  ['an empty host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['the whole server', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a target without a slash', 'GET x HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a bad absolute target', 'GET http://[/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['another scheme', 'GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['an expectation', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n', 417],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
  ['a space before a colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n', 400],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['another version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400],
  ['nothing like HTTP', 'hello\r\n\r\n', 400],
])('refuses %s with a JSON error', async (_, text, status) => {
  const answer = await raw(text)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer).toMatch(/content-type: application\/json/i)
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
  expect(body).toMatchObject({ error: expect.any(String), message: expect.stringMatching(/^Cannot /) })
})

it.each([
  'GET / HTTP/1.1\r\nHost: example.org:8080',
  'GET / HTTP/1.1\r\nHost: [::1]:3000',
  'GET http://example.org/a HTTP/1.1\r\nHost: x',
  'GET /a?b=\\ HTTP/1.1\r\nHost: my_host',
  'GET / HTTP/1.0',
])('accepts %j', async (head) => {
  expect(await raw(`${head}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 [^]*"reached":true/)
})

it('answers a request that arrived within the shutdown grace period, even on a busy event loop', async () => {
  const busy = await serve((_, response) => response.end('{"reached":true}'), { port: 0, host: '127.0.0.1' })
  const socket = connect(Number(new URL(busy.url).port), '127.0.0.1')
  socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  const stopped = busy.stop(10_000)
  socket.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n')
  // The second request waits in the kernel, and the timer is overdue when the event loop turns again.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)
  const answer = await new Promise((done) => {
    socket.once('data', (chunk) => done(String(chunk)))
    socket.once('error', (error) => done(error.message))
    socket.once('close', () => done('closed without an answer'))
  })
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*reached/)
  await stopped
})
