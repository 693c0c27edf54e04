import { BlockList, isIP } from 'node:net'

/** Where the registry may connect to although it is not on the internet, or not reached by https. */
export interface AllowList {
  has(host: string, address: string): boolean
}

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i

/** Whether this is the name of a host, an address, or a range of addresses such as 10.0.0.0/8. */
export function isAllowEntry(text: string): boolean {
  if (isIP(withoutBrackets(text)) !== 0 || isRange(text)) return true
  // Digits and dots alone are an address with a slip in it, which no lookup should ever be asked about.
  return hostName.test(text) && !/^[\d.]+$/.test(text)
}

/** Of texts that `isAllowEntry` has found to be good. */
export function createAllowList(texts: readonly string[]): AllowList {
  const hosts = new Set<string>()
  const addresses = new BlockList()
  for (const text of texts) {
    const [net = '', prefix] = withoutBrackets(text).split('/')
    const family = isIP(net) === 6 ? 'ipv6' : 'ipv4'
    if (prefix !== undefined) addresses.addSubnet(net, Number(prefix), family)
    else if (isIP(net) === 0) hosts.add(net.toLowerCase())
    else addresses.addAddress(net, family)
  }
  return {
    has: (host, address) => {
      const family = isIP(address)
      return family !== 0 && (hosts.has(host) || addresses.check(address, family === 6 ? 'ipv6' : 'ipv4'))
    },
  }
}

function isRange(text: string): boolean {
  const [net = '', prefix = '', ...rest] = text.split('/')
  const widest = isIP(net) === 6 ? 128 : 32
  return isIP(net) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= widest
}

function withoutBrackets(text: string): string {
  return /^\[(.*)\]$/.exec(text)?.[1] ?? text
}
