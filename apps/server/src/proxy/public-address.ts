import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are not public hosts (RFC 6890 and its successors): local, private, reserved, multicast. */
const reserved4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** The only range of public IPv6 hosts. The reserved parts below it include those that embed IPv4 (Teredo, 6to4). */
const global6 = ['2000::', 3] as const
const reserved6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const reserved = new BlockList()
for (const [net, prefix] of reserved4) reserved.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of reserved6) reserved.addSubnet(net, prefix, 'ipv6')
const unicast6 = new BlockList()
unicast6.addSubnet(...global6, 'ipv6')

/** Reports whether this is the address of a public host. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reserved.check(address, 'ipv4')
  return family === 6 && unicast6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
