import { PmlError } from '@pml/core'

/** Returns an error that reveals nothing about the server's network. `place` is its origin. */
export function upstreamFailed(place: string, reason: string): PmlError {
  return new PmlError('upstream_failed', `Cannot use ${place}: ${reason}`)
}

export function explainFailure(
  error: unknown,
  { place, signal }: { place: string; signal: AbortSignal },
): PmlError {
  if (signal.aborted) return new PmlError('cancelled', `Cannot use ${place}: the client disconnected`)
  return upstreamFailed(place, reasonOf(error))
}

/** Describes an error by its name and code only; its message may contain an address or header with a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.name === 'HTTPParserError') return 'its response is not HTTP'
  const code = 'code' in error ? String(error.code) : ''
  if (/CERT|^ERR_(?:TLS|SSL)/.test(code)) return 'its certificate cannot be trusted'
  return reasons[code] ?? 'the connection failed'
}

const reasons: Readonly<Record<string, string>> = {
  NO_ADDRESS:
    'it has no address that the registry may connect to; only https and the internet are allowed, and for configured servers what PML_PROXY_ALLOW lists',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long to respond',
  UND_ERR_SOCKET: 'it closed the connection',
  ECONNRESET: 'it closed the connection',
  ECONNREFUSED: 'it refused the connection',
  UND_ERR_HEADERS_OVERFLOW: 'its response has too many headers',
}
