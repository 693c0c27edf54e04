import { PmlError } from '@pml/core'
import { isLoopback } from '@pml/core/loopback'
import type { Dispatcher } from 'undici'
import type { ProxySettings } from '../machine/settings.ts'
import { readBounded } from '../machine/read-bounded.ts'
import { EventEmitter } from 'node:events'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal | undefined
}

/** The HTTP client for the registry. Throws `unavailable` for anything that a registry would not send. */
export interface Http {
  /** `path` is relative to the address of the registry. No redirect is followed. */
  send(path: string, request?: HttpRequest): Promise<HttpAnswer>
  /**
   * A long response to a GET, in chunks as the caller takes them; only the time between chunks is limited. Throws the
   * registry's error for any status but 200. Never retried.
   */
  stream(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

interface HttpOptions {
  /** Ends with a slash. */
  readonly registry: URL
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly isInsecureAllowed: boolean
  readonly proxies: ProxySettings
}

const LIMIT_BYTES = 16 * 1024 * 1024
const CONNECTIONS = 32
const MOST_TRIES = 3
const FIRST_PAUSE_MS = 100
const passing = new Set([502, 503, 504])

export function openHttp(options: HttpOptions): Http {
  const { registry, timeoutMs, isInsecureAllowed } = options
  const wire: Wire = { ...options, dispatcher: openOnce(() => dispatcherFor(options)) }

  async function send(path: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    requireSecrecy(registry, isInsecureAllowed)
    const ending = new Ending(request.signal, timeoutMs)
    try {
      return await tryUntil(wire, ending, { path, ...request })
    } finally {
      ending.clear()
    }
  }

  async function* stream(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    requireSecrecy(registry, isInsecureAllowed)
    const ending = new Ending(signal, timeoutMs)
    try {
      const { status, headers, body } = await ask(wire, ending, { path })
      if (status !== 200)
        await refuse({ status, headers, bytes: await readBounded(body, LIMIT_BYTES) }, registry)
      requirePlain(headers, registry)
      for await (const piece of body) {
        ending.refresh()
        yield piece as Uint8Array
      }
    } catch (error) {
      if (error instanceof PmlError) throw error
      requireTime(ending, wire)
      throw unreachable(registry, reasonOf(error))
    } finally {
      ending.clear()
    }
  }

  return { send, stream, close: async () => wire.dispatcher.opened?.close() }
}

/** The connections to a registry, opened with the first request. */
interface Wire extends HttpOptions {
  readonly dispatcher: Once<Dispatcher>
}

type PathRequest = HttpRequest & { readonly path: string }

/** Repeats a GET that failed on the way or got a passing status. */
async function tryUntil(wire: Wire, ending: Ending, request: PathRequest): Promise<HttpAnswer> {
  const isRepeatable = request.method === undefined || request.method === 'GET'
  for (let tries = 1; ; tries++) {
    const isLast = !isRepeatable || tries === MOST_TRIES
    try {
      requireTime(ending, wire)
      const answer = await once(wire, ending, request)
      if (isLast || !passing.has(answer.status)) return answer
    } catch (error) {
      if (error instanceof PmlError) throw error
      requireTime(ending, wire)
      if (isLast) throw unreachable(wire.registry, reasonOf(error))
    }
    await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2), ending)
  }
}

function requireTime({ how }: Ending, { registry, timeoutMs }: Wire): void {
  if (how === 'cancelled') throw new PmlError('cancelled', 'Cannot finish: it was interrupted')
  if (how === 'timeout') throw unreachable(registry, `no answer within ${timeoutMs} ms`)
}

async function once(wire: Wire, ending: Ending, request: PathRequest): Promise<HttpAnswer> {
  const { status, headers, body } = await ask(wire, ending, request)
  const bytes = await readBounded(body, LIMIT_BYTES)
  if (bytes.length > LIMIT_BYTES) throw unusable(wire.registry, `it has more than ${LIMIT_BYTES} bytes`)
  requirePlain(headers, wire.registry)
  return { status, headers, bytes }
}

async function ask(
  { registry, apiKey, dispatcher }: Wire,
  signal: Ending,
  { path, method = 'GET', headers, body }: PathRequest,
) {
  const connections = dispatcher.opened ?? (await dispatcher.open())
  const answer = await connections.request({
    origin: registry.origin,
    path: registry.pathname + path,
    method,
    headers: {
      // The bytes are hashed as they are sent, so no content coding may be applied.
      'accept-encoding': 'identity',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: body ?? null,
    signal,
  })
  return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.body }
}

/** Throws what the registry says in an error response. */
async function refuse({ status, headers, bytes }: HttpAnswer, registry: URL): Promise<void> {
  const { parseAnswer } = await import('./parse-answer.ts')
  parseAnswer({ isOk: false, status, text: bytes.toString('utf8'), location: headers['location'] }, registry)
}

function requirePlain(
  { 'content-encoding': coding = 'identity' }: HttpAnswer['headers'],
  registry: URL,
): void {
  if (coding !== 'identity') throw unusable(registry, `its content coding is ${coding}, expected none`)
}

interface Once<Opened> {
  /** Set after the first `open`, so that later callers need not wait. */
  opened: Opened | undefined
  open(): Promise<Opened>
}

function openOnce<Opened>(open: () => Promise<Opened>): Once<Opened> {
  let opening: Promise<Opened> | undefined
  const once: Once<Opened> = {
    opened: undefined,
    open: () => (opening ??= open().then((opened) => (once.opened = opened))),
  }
  return once
}

/** Waits; ends early if the request does. */
function pause(ms: number, signal: Ending): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(over, ms)
    signal.once('abort', over)
    function over() {
      clearTimeout(timer)
      signal.removeListener('abort', over)
      done()
    }
  })
}

/**
 * Requests to this machine never use a proxy: they would leave the machine unencrypted and reach the proxy's own
 * loopback instead.
 */
async function dispatcherFor({ registry, proxies }: HttpOptions): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('./connections.ts')
  // `Ending` limits the time. undici's own timers are coarse and fire up to half a second early.
  const limits = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }
  const { httpProxy, httpsProxy, noProxy } = proxies
  if (isLoopback(registry.hostname) || (httpProxy === undefined && httpsProxy === undefined))
    return new Agent(limits)
  return new EnvHttpProxyAgent({
    ...limits,
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: noProxy ?? '',
  })
}

/** Requires https, unless a person allows plain http: requests carry keys and arguments. */
function requireSecrecy({ protocol, hostname, origin }: URL, isInsecureAllowed: boolean): void {
  if (protocol === 'https:' || isInsecureAllowed || isLoopback(hostname)) return
  throw new PmlError(
    'invalid_config',
    `Cannot call ${origin}: expected https; set PML_REGISTRY_URL to an https address, or give --insecure-http`,
  )
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name] ?? '')
  return plain
}

export function unusable({ origin }: URL, reason: string): PmlError {
  return new PmlError('unavailable', `Cannot use the answer of ${origin}: ${reason}`)
}

function unreachable({ origin }: URL, reason: string): PmlError {
  const fix = 'start the registry, or set PML_REGISTRY_URL to its address'
  return new PmlError('unavailable', `Cannot reach the registry at ${origin}: ${reason}; ${fix}`)
}

/**
 * Ends a request early: on cancellation by the caller or on a timeout. undici accepts an emitter as signal, which costs a
 * fraction of an `AbortSignal`.
 */
class Ending extends EventEmitter {
  /** Which of the two happened first. */
  how: 'cancelled' | 'timeout' | undefined
  readonly #given: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout

  constructor(given: AbortSignal | undefined, timeoutMs: number) {
    super()
    this.#given = given
    this.#timer = setTimeout(() => this.#end('timeout'), timeoutMs)
    given?.addEventListener('abort', this.#cancel)
    if (given?.aborted) this.#cancel()
  }

  /** Restarts the timeout after each chunk. */
  refresh(): void {
    this.#timer.refresh()
  }

  /** Must be called when the response is complete. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#given?.removeEventListener('abort', this.#cancel)
  }

  readonly #cancel = () => this.#end('cancelled')

  #end(how: 'cancelled' | 'timeout'): void {
    this.how ??= how
    this.emit('abort')
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  // The only abort that is not our own: a proxy that answers CONNECT with anything but 200.
  UND_ERR_ABORTED: 'the proxy refused the connection',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the response differs from its content-length',
}

/** Explains a network error by its code, without repeating what was sent. */
function reasonOf(error: unknown): string {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return reasons[code] ?? code
  const inner = cause ?? errors?.[0]
  return inner === undefined ? 'the connection broke' : reasonOf(inner)
}
