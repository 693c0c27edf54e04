import { isLoopback, PmlError } from '@pml/core'

export interface AllowedSources {
  /**
   * Names under which this server is reached, with a port where only that one is meant. Undefined when they are not
   * known, as behind an unknown proxy; then a browser is only let in by its origin.
   */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may call, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[]
}

/**
 * Why a request that can change something must be refused: a web page of somebody else sent it (a browser says so in
 * `Origin`), or it was meant for another host, which is how a page reaches a local server by rebinding its own name.
 * That Origin and Host agree proves nothing then, so a host counts only when it is known.
 */
export function findForeign(
  headers: Pick<Headers, 'get'>,
  { allowedHosts, allowedOrigins = [] }: AllowedSources,
): PmlError | undefined {
  const host = findUrl(`http://${headers.get('host') ?? ''}`)
  const isKnownHost = host !== undefined && (isLoopback(host.hostname) || isAmong(host, allowedHosts ?? []))
  if (allowedHosts && !isKnownHost) return foreign('Host', headers.get('host'))
  const origin = headers.get('origin')
  if (origin === null || isAllowedOrigin(origin, allowedOrigins)) return undefined
  const page = findUrl(origin)
  const isOwnPage = page && host && isKnownHost && (page.host === host.host || bothLoopback(page, host))
  return isOwnPage ? undefined : foreign('Origin', origin)
}

function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return origin !== 'null' && allowed.some((known) => findUrl(known)?.origin === findUrl(origin)?.origin)
}

function isAmong({ host, hostname }: URL, names: readonly string[]): boolean {
  return names.some((name) => {
    const known = findUrl(`http://${name}`)
    return known !== undefined && (known.port === '' ? known.hostname === hostname : known.host === host)
  })
}

/** Whoever serves pages on this machine is as trusted as its user. */
function bothLoopback(page: URL, host: URL): boolean {
  return isLoopback(page.hostname) && isLoopback(host.hostname)
}

function findUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && url.hostname !== '' && /^https?:$/.test(url.protocol) ? url : undefined
}

function foreign(header: string, value: string | null): PmlError {
  const got = value === null ? 'nothing' : `"${value.slice(0, 100)}"`
  return new PmlError(
    'foreign_origin',
    `Cannot take a request from elsewhere: expected a known ${header}, got ${got}`,
  )
}
