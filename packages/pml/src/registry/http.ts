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

/** The one way to the registry. Throws `unavailable` for whatever a registry would not do. */
export interface Http {
  /** `path` is relative to the address of the registry. No redirect is followed. */
  send(path: string, request?: HttpRequest): Promise<HttpAnswer>
  /**
   * A long answer to GET, piece by piece, as the caller takes them; only the time between pieces is limited. Throws what
   * the registry says instead of 200, and is not tried again.
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
  const { registry, apiKey, timeoutMs, isInsecureAllowed } = options
  const dispatcher = openOnce(() => dispatcherFor(options))
  const own = {
    // What is hashed must be what was sent, so no coding may stand between.
    'accept-encoding': 'identity',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }

  async function send(path: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    requireSecrecy(registry, isInsecureAllowed)
    const ending = new Ending(request.signal, timeoutMs)
    try {
      return await tryUntil(ending, path, request)
    } finally {
      ending.clear()
    }
  }

  async function tryUntil(ending: Ending, path: string, request: HttpRequest): Promise<HttpAnswer> {
    const isRepeatable = request.method === undefined || request.method === 'GET'
    for (let tries = 1; ; tries++) {
      const isLast = !isRepeatable || tries === MOST_TRIES
      try {
        requireTime(ending)
        const answer = await once(path, request, ending)
        if (isLast || !passing.has(answer.status)) return answer
      } catch (error) {
        if (error instanceof PmlError) throw error
        requireTime(ending)
        if (isLast) throw unreachable(registry, reasonOf(error))
      }
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2), ending)
    }
  }

  function requireTime({ how }: Ending): void {
    if (how === 'cancelled') throw new PmlError('cancelled', 'Cannot finish: it was interrupted')
    if (how === 'timeout') throw unreachable(registry, `no answer within ${timeoutMs} ms`)
  }

  async function once(path: string, request: HttpRequest, signal: Ending): Promise<HttpAnswer> {
    const answer = await ask(path, request, signal)
    const bytes = await readBounded(answer.body, LIMIT_BYTES)
    if (bytes.length > LIMIT_BYTES) throw unusable(registry, `it has more than ${LIMIT_BYTES} bytes`)
    requirePlain(answer.headers)
    return { status: answer.status, headers: answer.headers, bytes }
  }

  async function* stream(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    requireSecrecy(registry, isInsecureAllowed)
    const ending = new Ending(signal, timeoutMs)
    try {
      const { status, headers, body } = await ask(path, {}, ending)
      if (status !== 200) await refuse({ status, headers, bytes: await readBounded(body, LIMIT_BYTES) })
      requirePlain(headers)
      for await (const piece of body) {
        ending.refresh()
        yield piece as Uint8Array
      }
    } catch (error) {
      if (error instanceof PmlError) throw error
      requireTime(ending)
      throw unreachable(registry, reasonOf(error))
    } finally {
      ending.clear()
    }
  }

  async function refuse({ status, headers, bytes }: HttpAnswer): Promise<void> {
    const { parseAnswer } = await import('./parse-answer.ts')
    const answer = { isOk: false, status, text: bytes.toString('utf8'), location: headers['location'] }
    parseAnswer(answer, registry)
  }

  async function ask(path: string, { method = 'GET', headers, body }: HttpRequest, signal: Ending) {
    const connections = dispatcher.opened ?? (await dispatcher.open())
    const answer = await connections.request({
      origin: registry.origin,
      path: registry.pathname + path,
      method,
      headers: { ...own, ...headers },
      body: body ?? null,
      signal,
    })
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.body }
  }

  function requirePlain({ 'content-encoding': coding = 'identity' }: HttpAnswer['headers']): void {
    if (coding !== 'identity') throw unusable(registry, `it came ${coding}-coded, expected it as it is`)
  }

  return { send, stream, close: async () => dispatcher.opened?.close() }
}

/** Opened with the first request: many commands make none. What is open is at hand without waiting. */
function openOnce<Opened>(open: () => Promise<Opened>) {
  let opening: Promise<Opened> | undefined
  const once = {
    opened: undefined as Opened | undefined,
    open: () => (opening ??= open().then((opened) => (once.opened = opened))),
  }
  return once
}

/** Over earlier when the request is. */
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
 * Whatever goes to this machine itself never goes by a proxy: it would leave the machine in the open, for a machine that
 * is not this one.
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

/** Keys and arguments cross a network in the open only where a person says so. */
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
 * Ends a request before its answer: because the caller asks for it, or because it takes too long. undici takes an emitter for
 * this too, which costs a fraction of an `AbortSignal`.
 */
class Ending extends EventEmitter {
  /** Which of the two came, once one has. */
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

  /** Something came: from now on it may take as long again. */
  refresh(): void {
    this.#timer.refresh()
  }

  /** Must be called when the answer is there. */
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
  EAI_AGAIN: 'the host cannot be looked up now',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  // The only abort that is not our own: a proxy that answers CONNECT with anything but 200.
  UND_ERR_ABORTED: 'the proxy refused the connection',
  UND_ERR_CONNECT_TIMEOUT: 'the connection takes too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer has another length than it says',
}

/** The system's own code says most and repeats nothing that was sent. */
function reasonOf(error: unknown): string {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return reasons[code] ?? code
  const inner = cause ?? errors?.[0]
  return inner === undefined ? 'the connection broke' : reasonOf(inner)
}
