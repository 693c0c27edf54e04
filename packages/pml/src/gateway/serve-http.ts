import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PmlError } from '@pml/core'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server'
import type { Gateway } from './gateway.ts'
import { createGatewayServer, type GatewayServerOptions } from './gateway-server.ts'
import { InFlight } from './in-flight.ts'
import { closeOf, readBody, requestOf, sendResponse } from './node-http.ts'

interface HttpServing extends Omit<GatewayServerOptions, 'era'> {
  /** 0: any free port. */
  readonly port: number
  /** The bearer token that clients must send. */
  readonly token: string
  readonly signal: AbortSignal
  /** How long calls may take after `signal`. */
  readonly graceMs: number
  onListening(url: string): void
}

const PATH = '/mcp'
const SESSION = 'mcp-session-id'
const MOST_SESSIONS = 100
const HOST = '127.0.0.1'

/** Serves clients on this machine that show the token, until `signal`. */
export async function serveOnHttp(gateway: Gateway, serving: HttpServing): Promise<void> {
  const clients = new Clients(gateway, serving)
  const stop = gateway.onChange(() => clients.tellToolsChanged())
  const inFlight = new InFlight()

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<Response> {
    const refused = findRefusal(incoming, serving.token)
    if (refused) return refused
    const body = await readBody(incoming)
    if (!body) return refusal(413, 'Expected at most 4 MiB')
    if (serving.signal.aborted) return refusal(503, 'This gateway is shutting down; start it again')
    // Only calls are waited for: a stream of notifications lasts as long as its connection.
    if (body.includes('"tools/call"')) void inFlight.track(closeOf(response))
    return clients.answer(requestOf(incoming, { body, response }))
  }

  const http = createServer((incoming, response) => {
    // No connection is kept open during shutdown.
    if (serving.signal.aborted) response.shouldKeepAlive = false
    respond(incoming, response)
      .then((made) => sendResponse(response, made))
      .catch((error: unknown) => {
        serving.onFault(error)
        response.destroy()
      })
  })
  await listen(http, serving.port)
  serving.onListening(`http://${HOST}:${(http.address() as AddressInfo).port}${PATH}`)
  await new Promise<void>((done) => {
    if (serving.signal.aborted) done()
    serving.signal.addEventListener('abort', () => done(), { once: true })
  })
  const closed = new Promise((done) => http.close(done))
  await inFlight.finish(serving.graceMs)
  stop()
  await clients.close()
  http.closeAllConnections()
  await closed
}

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** Clients of both eras of the protocol: legacy ones have a session each. */
class Clients {
  readonly #gateway: Gateway
  readonly #serving: HttpServing
  readonly #modern: ReturnType<typeof createMcpHandler>
  /** The most recently used session is last. */
  readonly #sessions = new Map<string, Session>()

  constructor(gateway: Gateway, serving: HttpServing) {
    this.#gateway = gateway
    this.#serving = serving
    this.#modern = createMcpHandler(() => createGatewayServer(gateway, { ...serving, era: 'modern' }), {
      legacy: 'reject',
    })
  }

  async answer(request: Request): Promise<Response> {
    const id = request.headers.get(SESSION)
    if (id === null && !(await isLegacyRequest(request))) return this.#modern.fetch(request)
    if (id === null) return this.#beginSession(request)
    const session = this.#sessions.get(id)
    if (!session) return refusal(404, 'There is no such session; begin a new one')
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return session.transport.handleRequest(request)
  }

  tellToolsChanged(): void {
    this.#modern.notify.toolsChanged()
    for (const { server } of this.#sessions.values()) void server.sendToolListChanged().catch(() => undefined)
  }

  async close(): Promise<void> {
    const ends = Array.from(this.#sessions.values(), ({ transport }) => transport.close())
    await Promise.all([this.#modern.close(), ...ends])
  }

  async #beginSession(request: Request): Promise<Response> {
    const server = createGatewayServer(this.#gateway, { ...this.#serving, era: 'legacy' })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    })
    await server.connect(transport)
    const [oldest] = this.#sessions
    if (oldest && this.#sessions.size >= MOST_SESSIONS) {
      this.#sessions.delete(oldest[0])
      await oldest[1].transport.close()
    }
    return transport.handleRequest(request)
  }
}

function listen(http: HttpServer, port: number): Promise<void> {
  return new Promise((done, fail) => {
    http.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'another program listens there' : message
      fail(
        new PmlError(
          'invalid_config',
          `Cannot listen on ${HOST}:${port}: ${reason}; choose another with --port`,
        ),
      )
    })
    http.listen(port, HOST, done)
  })
}

/** Refuses requests of web pages in a local browser, by their origin or host, and requests without the token. */
function findRefusal({ headers, url = '' }: IncomingMessage, token: string): Response | undefined {
  const host = headers.host?.replace(/:\d+$/, '') ?? ''
  if (!localNames.has(host)) return refusal(403, 'Expected the host 127.0.0.1 or localhost')
  const { origin } = headers
  if (origin !== undefined && !localNames.has(hostIn(origin)))
    return refusal(403, 'Expected no foreign origin')
  if (url.split('?')[0] !== PATH) return refusal(404, `Expected ${PATH}`)
  const shown = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(digest(shown), digest(token))) return undefined
  const response = refusal(401, 'Expected the token that "pml serve --http" printed')
  response.headers.set('www-authenticate', 'Bearer')
  return response
}

const localNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

function hostIn(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status })
}
