import { isIP } from 'node:net'
import { createRateLimit, type RateLimit } from '../wire/rate-limit.ts'

/** The bucket shared by all callers. */
const ALL = 'all'

interface FailureLimits {
  readonly perMinute: number
  readonly totalPerMinute: number
  readonly now: () => number
}

/** Limits failed authentication for each network and in total, against callers with many addresses. */
export function createFailureLimit({ perMinute, totalPerMinute, now }: FailureLimits): RateLimit {
  const each = createRateLimit({ perMinute, now })
  const total = createRateLimit({ perMinute: totalPerMinute, now })
  return {
    require: (address) => {
      each.require(networkOf(address))
      total.require(ALL)
    },
    take: (address) => {
      each.take(networkOf(address))
      total.take(ALL)
    },
  }
}

/** Returns an IPv4 address, the /64 of an IPv6 address (which belongs to one customer), or the text itself. */
export function networkOf(address: string): string {
  const [plain = ''] = withoutPort(address).split('%', 1)
  if (isIP(plain) === 4) return plain
  if (isIP(plain) !== 6) return address
  const groups = groupsOf(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped)
    return `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** Removes the port: some proxies forward `address:port`, or `[address]:port` for IPv6. */
function withoutPort(address: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return bracketed ?? plain ?? address
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // URL normalizes the address and removes a dotted tail.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [parse(head), parse(tail ?? '')]
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
}
