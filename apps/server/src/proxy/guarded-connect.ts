import type { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { AllowList } from './allow-list.ts'
import { isPublicAddress } from './public-address.ts'

interface ConnectDeps {
  readonly allow: AllowList
  /** As in node:dns. */
  readonly lookup: typeof lookup
  readonly timeoutMs: number
}

/** Says nothing of what was found: whoever may publish must not learn by it which names a private network has. */
class NoAddressError extends Error {
  readonly code = 'NO_ADDRESS'
}

/**
 * Connects to hosts on the internet by TLS, and to what the operator allows besides. It is the address about to be
 * connected to that is judged, so a name that leads elsewhere a moment later gains nothing.
 */
export function guardedConnect({ allow, lookup, timeoutMs }: ConnectDeps): buildConnector.connector {
  const connectorFor = (isSecure: boolean, port: number) => {
    const may: MayConnect = (host, address) =>
      allow.has(host, address, port) || (isSecure && isPublicAddress(address))
    return { may, connect: buildConnector({ timeout: timeoutMs, lookup: guardedLookup(lookup, may) }) }
  }
  const connectors = new Map<string, ReturnType<typeof connectorFor>>()
  return (options, callback) => {
    const isSecure = options.protocol === 'https:'
    const asked = Number(options.port) || (isSecure ? 443 : 80)
    // Ports that no entry names are all alike, so there are never more connectors than named ports.
    const port = allow.ports.has(asked) ? asked : 0
    const key = `${options.protocol} ${port}`
    const connector = connectors.get(key) ?? connectorFor(isSecure, port)
    connectors.set(key, connector)
    const { may, connect } = connector
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
    // An address is connected to without a lookup.
    if (isIP(host) !== 0 && !may(host, host)) callback(new NoAddressError(), null)
    else connect(options, callback)
  }
}

type MayConnect = (host: string, address: string) => boolean

function guardedLookup(find: typeof lookup, may: MayConnect): LookupFunction {
  return (host, options, done) => {
    find(host, { ...options, all: true }, (error, found) => {
      const addresses = error ? [] : found.filter(({ address }) => may(host, address))
      const [first] = addresses
      if (!first) done(new NoAddressError(), '')
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
