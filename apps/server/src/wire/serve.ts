import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Server as NetServer, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { PmlError } from '@pml/core'

export interface Serving {
  readonly url: string
  /** Stops accepting connections, lets requests in flight finish, and resolves when every connection is closed. */
  stop(timeoutMs: number): Promise<void>
}

/** How long idle connections stay open on shutdown, for requests that are already on the wire. */
const IDLE_GRACE_MS = 1000

export async function serve(
  listener: RequestListener,
  { port, host }: { port: number; host: string },
): Promise<Serving> {
  let stopping = false
  const findBadHead = createHeadCheck()
  const server = createServer(
    // Node would answer a missing Host header with an empty 400; the check below explains the error.
    { requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    (request, response) => {
      if (stopping) response.shouldKeepAlive = false
      const problem = findBadHead(request)
      if (problem) answerBadHead(response, problem)
      else listener(request, response)
    },
  )
  server.on('clientError', answerClientError)
  server.on('checkExpectation', (_, response) => {
    answerBadHead(
      response,
      new PmlError('expectation_failed', 'Cannot meet the Expect header: send only 100-continue'),
    )
  })
  await listen(server, { port, host })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    stop: async (timeoutMs) => {
      stopping = true
      const closed = stopAccepting(server)
      // Timers run before sockets are read: wait one turn, so that a connection with a pending request is not idle.
      const closeIdle = () => setImmediate(() => server.closeIdleConnections())
      const grace = setTimeout(closeIdle, IDLE_GRACE_MS)
      const idle = setInterval(closeIdle, IDLE_GRACE_MS * 2)
      const limit = setTimeout(() => server.closeAllConnections(), timeoutMs)
      await closed
      for (const timer of [grace, idle, limit]) clearTimeout(timer)
    },
  }
}

/** Uses net.Server's close: that of http.Server also closes idle connections, and loses requests on the wire. */
function stopAccepting(server: Server): Promise<void> {
  return new Promise((done) => NetServer.prototype.close.call(server, () => done()))
}

function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'it is in use; set PORT to another port, or to 0 for any free one'
          : error.message
      fail(new PmlError('unavailable', `Cannot listen on ${host}:${port}: ${why}`))
    })
    server.listen(port, host, done)
  })
}

/** Node 22 and newer refuse more headers; Node 20 silently drops the rest. */
const MOST_HEADERS = 1000

/** Checks RFC 9112, 3.2: exactly one valid Host header (HTTP/1.0 may have none), and a path or URL as target. */
function createHeadCheck(): (request: IncomingMessage) => PmlError | undefined {
  // Most requests name the same host, and parsing it takes longer than the rest of the check.
  let lastGoodHost: string | undefined
  return ({ url = '', headers, rawHeaders, httpVersion }) => {
    if (rawHeaders.length > 2 * MOST_HEADERS) return headersTooLarge()
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && isHostField(name)).length
    if (hosts > 1) return badRequest('it has more than one Host header')
    if (hosts === 0 && httpVersion !== '1.0') return badRequest('it has no Host header')
    if (hosts === 1 && headers.host !== lastGoodHost) {
      if (!isHost(headers.host ?? '')) return badRequest('its Host header is not a host')
      lastGoodHost = headers.host
    }
    if (url === '*') return badRequest('expected a path, got *')
    if (url.split('?', 1)[0]?.includes('\\')) return badRequest('its path has a backslash')
    return isTarget(url) ? undefined : badRequest('its target is neither a path nor a URL')
  }
}

function isHostField(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host'
}

/** Matches targets that are always valid, without the cost of URL parsing. */
const plainTarget = /^\/[\w\-.~/%?=&:@+,;]*$/

function isTarget(url: string): boolean {
  if (plainTarget.test(url)) return true
  return url.startsWith('/')
    ? URL.canParse(`http://host${url}`)
    : /^https?:\/\//.test(url) && URL.canParse(url)
}

const plainHost = /^[\w.-]+(?::\d{1,5})?$/

function isHost(host: string): boolean {
  if (!plainHost.test(host) && !/^\[[\da-fA-F:.]+\](?::\d{1,5})?$/.test(host)) return false
  return URL.canParse(`http://${host}/`)
}

function headersTooLarge(): PmlError {
  return new PmlError(
    'headers_too_large',
    `Cannot read the request: its headers are over 16 KiB, or more than ${MOST_HEADERS}`,
  )
}

function badRequest(reason: string): PmlError {
  return new PmlError('bad_request', `Cannot read the request: ${reason}`)
}

function answerBadHead(response: ServerResponse, problem: PmlError): void {
  response.writeHead(problem.status, { ...jsonHeaders(JSON.stringify(problem)), Connection: 'close' })
  response.end(JSON.stringify(problem))
}

function jsonHeaders(body: string) {
  return {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  }
}

/** Answers a request that Node could not parse, with the reason. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known = problemOf(error.code)
  const body = JSON.stringify(known)
  const reason =
    { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[known.status] ?? ''
  socket.end(
    `HTTP/1.1 ${known.status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  )
}

function problemOf(code: string | undefined): PmlError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PmlError('request_timeout', 'Cannot read the request: it took too long to arrive')
  return new PmlError('bad_request', 'Cannot read the request: it is not HTTP/1.1')
}
