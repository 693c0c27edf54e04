import { BlockList, isIP } from 'node:net'

/** The hosts that the registry may connect to although they are not public or do not use HTTPS. */
export interface AllowList {
  has(host: string, address: string, port: number): boolean
  /** The ports in the entries. */
  readonly ports: ReadonlySet<number>
}

interface AllowEntry {
  /** A host name or an address. */
  readonly host: string
  /** The prefix length of an address range. */
  readonly prefix: number | undefined
  /** Undefined allows any port. */
  readonly port: number | undefined
}

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i

/** Reports whether this is a host, an address or a range such as 10.0.0.0/8, with an optional port: `host:80`, `[::1]:80`. */
export function isAllowEntry(text: string): boolean {
  return parseAllowEntry(text) !== undefined
}

/** Creates the list from entries that `isAllowEntry` accepts. */
export function createAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map((text) => parseAllowEntry(text)).filter((entry) => entry !== undefined)
  const tests = entries.map((entry) => ({ port: entry.port, matches: matcherOf(entry) }))
  return {
    has: (host, address, port) =>
      isIP(address) !== 0 &&
      tests.some((test) => (test.port === undefined || test.port === port) && test.matches(host, address)),
    ports: new Set(entries.flatMap(({ port }) => port ?? [])),
  }
}

function parseAllowEntry(text: string): AllowEntry | undefined {
  // IPv6 contains colons, so a port needs brackets.
  const pattern =
    /:.*:/.test(text) && !text.startsWith('[')
      ? /^(?:\[(.*)\]|(.*))$/
      : /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/
  const [, inBrackets, bare = '', portText] = pattern.exec(text) ?? []
  const [host = '', prefixText, ...rest] = (inBrackets ?? bare).split('/')
  const family = isIP(host)
  const port = portText === undefined ? undefined : wholeUpTo(portText, 65_535)
  const prefix = prefixText === undefined ? undefined : wholeUpTo(prefixText, family === 6 ? 128 : 32)
  if (rest.length > 0 || Number.isNaN(port) || port === 0 || Number.isNaN(prefix)) return undefined
  // Only digits and dots is a malformed address, which must not be resolved as a name.
  const isName = family === 0 && inBrackets === undefined && hostName.test(host) && !/^[\d.]+$/.test(host)
  if (family === 0 && (!isName || prefix !== undefined)) return undefined
  return { host: host.toLowerCase(), prefix, port }
}

/** Parses a whole number up to `most`; returns NaN for other text. */
function wholeUpTo(text: string, most: number): number {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= most ? Number(text) : Number.NaN
}

function matcherOf({ host, prefix }: AllowEntry): (host: string, address: string) => boolean {
  if (isIP(host) === 0) return (other) => other.toLowerCase() === host
  const addresses = new BlockList()
  if (prefix === undefined) addresses.addAddress(host, familyOf(host))
  else addresses.addSubnet(host, prefix, familyOf(host))
  return (_host, address) => addresses.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
