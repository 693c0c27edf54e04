import type { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { AllowList } from './allow-list.ts'
import { isPublicAddress } from './public-address.ts'

interface ConnectDeps {
  readonly allow: AllowList
  /** The `lookup` of node:dns. */
  readonly lookup: typeof lookup
  readonly timeoutMs: number
}

/** Has no details, so that publishers cannot probe the names of a private network. */
class NoAddressError extends Error {
  readonly code = 'NO_ADDRESS'
}

/**
 * Connects to public hosts over TLS, and to hosts that the operator allows. Checks the address that it then connects
 * to, which prevents DNS rebinding.
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
    const wantedPort = Number(options.port) || (isSecure ? 443 : 80)
    // All ports without an entry share one connector, which bounds the number of connectors.
    const port = allow.ports.has(wantedPort) ? wantedPort : 0
    const key = `${options.protocol} ${port}`
    const connector = connectors.get(key) ?? connectorFor(isSecure, port)
    connectors.set(key, connector)
    const { may, connect } = connector
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
    // A connection to an address makes no lookup, so it is checked here.
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
