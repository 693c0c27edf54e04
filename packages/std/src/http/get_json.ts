import { Buffer } from 'node:buffer'

export const description = 'Gets a URL that answers with JSON of at most 10 MB and returns the value'

export const inputSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'http or https URL; an answer other than 2xx is an error' },
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
  required: ['url'],
  additionalProperties: false,
} as const

export const permissions = { net: ['*'] }

const LIMIT_BYTES = 10_000_000

export default async function getJson(args: {
  url: string
  headers?: Record<string, string>
  timeoutMs?: number
}): Promise<{ status: number; value: unknown }> {
  const url = parseUrl(args.url)
  const headers = { accept: 'application/json', ...requireHeaders(args.headers ?? {}) }
  const signal = AbortSignal.timeout(requireTimeout(args.timeoutMs ?? 30_000))
  return request(url, { headers, signal })
}

/** The engine's error is the cause: a refusal by the sandbox must stay recognisable. */
async function request(
  url: URL,
  init: RequestInit & { signal: AbortSignal },
): Promise<{ status: number; value: unknown }> {
  try {
    const response = await fetch(url, init)
    const text = (await readLimited(response)).toString('utf8')
    if (!response.ok) throw new Error(`status ${response.status}: ${text.slice(0, 300)}`)
    return { status: response.status, value: parseJson(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = init.signal.aborted ? 'no complete answer in time' : reason
    throw new Error(`Cannot get JSON from ${url.href}: ${problem}`, { cause: error })
  }
}

/** In our own words, because each engine has others. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`expected JSON, got ${JSON.stringify(text.slice(0, 80))}`)
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
  return new Error(`Cannot get JSON: expected ${expected}, got ${JSON.stringify(got)}`)
}
