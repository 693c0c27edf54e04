import { Buffer } from 'node:buffer'

export const description = 'Gets a URL and returns its status, headers and body of at most 10 MB'

export const inputSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'http or https URL; redirects are followed' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Request headers by name',
    },
    encoding: {
      type: 'string',
      enum: ['text', 'base64'],
      default: 'text',
      description: 'text, decoded by the charset that the server names, or base64 of the bytes',
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

export default async function get(args: {
  url: string
  headers?: Record<string, string>
  encoding?: 'text' | 'base64'
  timeoutMs?: number
}): Promise<{ status: number; ok: boolean; url: string; headers: Record<string, string>; body: string }> {
  const { encoding = 'text', timeoutMs = 30_000 } = args
  const url = parseUrl(args.url)
  const headers = requireHeaders(args.headers ?? {})
  if (encoding !== 'text' && encoding !== 'base64') throw wrong('encoding to be text or base64', encoding)
  const signal = AbortSignal.timeout(requireTimeout(timeoutMs))

  const { response, bytes } = await request(url, { headers, signal })
  return {
    status: response.status,
    ok: response.ok,
    url: response.url,
    headers: Object.fromEntries(response.headers),
    body:
      encoding === 'text'
        ? textOf(bytes, response.headers.get('content-type') ?? '')
        : bytes.toString('base64'),
  }
}

function textOf(bytes: Uint8Array, contentType: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
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
    throw new Error(`Cannot get ${url.href}: ${problem}`, { cause: error })
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
  return new Error(`Cannot get: expected ${expected}, got ${JSON.stringify(got)}`)
}
