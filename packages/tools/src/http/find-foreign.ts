import { isLoopback, PmlError } from '@pml/core'

export interface AllowedSources {
  /**
   * The host names of this server, with a port to allow only that one. Undefined if they are unknown, as behind an unknown
   * proxy; then browsers are only checked by their origin.
   */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may call, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[]
}

/**
 * Returns why a request that may change something must be refused: another site's page sent it (browsers say so in `Origin`),
 * or it was meant for another host, as in a DNS rebinding attack. Origin and Host agree in that attack, so only known hosts
 * count.
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

/** Local web servers are as trusted as the user of this machine. */
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
    `Cannot accept a request from another site: expected a known ${header}, got ${got}`,
  )
}
