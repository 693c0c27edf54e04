import { PmlError } from '@pml/core'

/** Why a server could not be used, without anything that only its network knows. `place` is its origin. */
export function upstreamFailed(place: string, reason: string): PmlError {
  return new PmlError('upstream_failed', `Cannot use ${place}: ${reason}`)
}

export function explainFailure(
  error: unknown,
  { place, signal }: { place: string; signal: AbortSignal },
): PmlError {
  if (signal.aborted) return new PmlError('cancelled', `Cannot use ${place}: the caller went away`)
  return upstreamFailed(place, reasonOf(error))
}

/** By its name and its code alone: the rest of an error can repeat an address or a header, and with it a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.name === 'HTTPParserError') return 'its answer is not HTTP'
  const code = 'code' in error ? String(error.code) : ''
  if (/CERT|^ERR_(?:TLS|SSL)/.test(code)) return 'its certificate cannot be trusted'
  return reasons[code] ?? 'the connection failed'
}

const reasons: Readonly<Record<string, string>> = {
  NO_ADDRESS:
    'it has no address that the registry may connect to; only https and the internet are allowed, and for configured servers what PML_PROXY_ALLOW lists',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long to answer',
  UND_ERR_SOCKET: 'it broke off the connection',
  ECONNRESET: 'it broke off the connection',
  ECONNREFUSED: 'nothing listens there',
  UND_ERR_HEADERS_OVERFLOW: 'its answer has too many headers',
}
