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
  /** 0: any that is free. */
  readonly port: number
  /** Whoever shows it may call. */
  readonly token: string
  readonly signal: AbortSignal
  /** What calls get when `signal` has come. */
  readonly graceMs: number
  onListening(url: string): void
}

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
}

const PATH = '/mcp'
const SESSION = 'mcp-session-id'
const MOST_SESSIONS = 100
const HOST = '127.0.0.1'

/** For clients on this machine that show the token, until `signal`. */
export async function serveOnHttp(gateway: Gateway, serving: HttpServing): Promise<void> {
  /** Of clients of the legacy era; the newest stand last. */
  const sessions = new Map<string, Session>()
  const inFlight = new InFlight()
  const modern = createMcpHandler(() => createGatewayServer(gateway, { ...serving, era: 'modern' }), {
    legacy: 'reject',
  })
  const stop = gateway.onChange(() => {
    modern.notify.toolsChanged()
    for (const { server } of sessions.values()) void server.sendToolListChanged().catch(() => undefined)
  })

  async function beginSession(request: Request): Promise<Response> {
    const server = createGatewayServer(gateway, { ...serving, era: 'legacy' })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    const [oldest] = sessions
    if (oldest && sessions.size >= MOST_SESSIONS) {
      sessions.delete(oldest[0])
      await oldest[1].transport.close()
    }
    return transport.handleRequest(request)
  }

  async function answer(request: Request): Promise<Response> {
    const id = request.headers.get(SESSION)
    if (id === null && !(await isLegacyRequest(request))) return modern.fetch(request)
    if (id === null) return beginSession(request)
    const session = sessions.get(id)
    if (!session) return refusal(404, 'There is no such session; begin a new one')
    sessions.delete(id)
    sessions.set(id, session)
    return session.transport.handleRequest(request)
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<Response> {
    const refused = findRefusal(incoming, serving.token)
    if (refused) return refused
    const body = await readBody(incoming)
    if (!body) return refusal(413, 'Expected at most 4 MiB')
    if (serving.signal.aborted) return refusal(503, 'This gateway is ending; start it again')
    // Streams of news last as long as the connection, and are not waited for.
    if (body.includes('"tools/call"')) void inFlight.track(closeOf(response))
    return answer(requestOf(incoming, { body, response }))
  }

  const http = createServer((incoming, response) => {
    // Nobody keeps a connection to what is ending.
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
  await Promise.all([modern.close(), ...Array.from(sessions.values(), ({ transport }) => transport.close())])
  http.closeAllConnections()
  await closed
}

function listen(http: HttpServer, port: number): Promise<void> {
  return new Promise((done, fail) => {
    http.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'another program listens there' : message
      fail(
        new PmlError(
          'invalid_config',
          `Cannot listen on ${HOST}:${port}: ${reason}; choose another by --port`,
        ),
      )
    })
    http.listen(port, HOST, done)
  })
}

/** A page in a browser on this machine is not this machine's person: it shows another origin, or another host name. */
function findRefusal({ headers, url = '' }: IncomingMessage, token: string): Response | undefined {
  const host = headers.host?.replace(/:\d+$/, '') ?? ''
  if (!localNames.has(host)) return refusal(403, 'Expected the host 127.0.0.1 or localhost')
  const { origin } = headers
  if (origin !== undefined && !localNames.has(hostIn(origin))) return refusal(403, 'Expected no other origin')
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
