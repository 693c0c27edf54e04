import { Buffer } from 'node:buffer'

export const description = 'Sends a value as JSON with POST, PUT, PATCH or DELETE and returns the answer'

export const inputSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'http or https URL' },
    value: { description: 'Any JSON value to send' },
    method: {
      type: 'string',
      enum: ['POST', 'PUT', 'PATCH', 'DELETE'],
      default: 'POST',
      description: 'HTTP method',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Request headers by name',
    },
    timeoutMs: {
      type: 'number',
      minimum: 1,
      maximum: 120000,
      default: 30000,
      description: 'Longest time to wait',
    },
  },
  required: ['url', 'value'],
  additionalProperties: false,
} as const

export const permissions = { net: ['*'] }

const LIMIT_BYTES = 10_000_000

/** `value` is the body when it is JSON; `body` is always the text. */
export default async function postJson(args: {
  url: string
  value: unknown
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  timeoutMs?: number
}): Promise<{ status: number; ok: boolean; body: string; value?: unknown }> {
  const { value, method = 'POST', timeoutMs = 30_000 } = args
  const url = parseUrl(args.url)
  if (value === undefined) throw wrong('value to be a JSON value', value)
  if (!inputSchema.properties.method.enum.includes(method))
    throw wrong('method to be POST, PUT, PATCH or DELETE', method)
  const headers = { 'content-type': 'application/json', ...requireHeaders(args.headers ?? {}) }
  const signal = AbortSignal.timeout(requireTimeout(timeoutMs))

  const { response, bytes } = await request(url, { method, headers, body: JSON.stringify(value), signal })
  const body = bytes.toString('utf8')
  return { status: response.status, ok: response.ok, body, ...jsonOf(body) }
}

function jsonOf(body: string): { value?: unknown } {
  try {
    return { value: JSON.parse(body) }
  } catch {
    return {}
  }
}

/** The engine's error is the cause: a refusal by the sandbox must stay recognisable. */
async function request(
  url: URL,
  init: RequestInit & { signal: AbortSignal },
): Promise<{ response: Response; bytes: Buffer }> {
  try {
    const response = await fetch(url, init)
    return { response, bytes: await readLimited(response) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = init.signal.aborted ? 'no complete answer in time' : reason
    throw new Error(`Cannot send to ${url.href}: ${problem}`, { cause: error })
  }
}

/** Counted while it arrives and after decompression: a length header proves nothing. */
async function readLimited(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    size += chunk.length
    if (size > LIMIT_BYTES) throw new Error(`the answer is larger than ${LIMIT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A user and password in a URL end up in logs; a header is the place for them. */
function parseUrl(url: unknown): URL {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (parsed && isWeb && parsed.username === '' && parsed.password === '') return parsed
  throw wrong('url to be an http or https URL without user and password', url)
}

function requireHeaders(headers: unknown): Record<string, string> {
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers)
  if (!isObject) throw wrong('headers to be an object', headers)
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw wrong(`headers to have text for ${name}`, value)
  }
  return Object.fromEntries(Object.entries(headers))
}

function requireTimeout(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= 120_000) return timeoutMs
  throw wrong('timeoutMs to be a number from 1 to 120000', timeoutMs)
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot send JSON: expected ${expected}, got ${JSON.stringify(got)}`)
}
