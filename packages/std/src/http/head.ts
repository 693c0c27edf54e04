export const description =
  'Asks for the status and headers of a URL without its body, and for where redirects lead'

export const inputSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'http or https URL' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Request headers by name',
    },
    follow: { type: 'boolean', default: true, description: 'Whether redirects are followed' },
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

export default async function head(args: {
  url: string
  headers?: Record<string, string>
  follow?: boolean
  timeoutMs?: number
}): Promise<{ status: number; ok: boolean; url: string; headers: Record<string, string> }> {
  const { follow = true, timeoutMs = 30_000 } = args
  const url = parseUrl(args.url)
  const headers = requireHeaders(args.headers ?? {})
  const signal = AbortSignal.timeout(requireTimeout(timeoutMs))

  const redirect = follow ? 'follow' : 'manual'
  const response = await request(url, { method: 'HEAD', headers, redirect, signal })
  return {
    status: response.status,
    ok: response.ok,
    url: response.url,
    headers: Object.fromEntries(response.headers),
  }
}

/** The engine's error is the cause: a refusal by the sandbox must stay recognisable. */
async function request(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = init.signal.aborted ? 'no complete answer in time' : reason
    throw new Error(`Cannot get head of ${url.href}: ${problem}`, { cause: error })
  }
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
  return new Error(`Cannot get head: expected ${expected}, got ${JSON.stringify(got)}`)
}
