import { SocketAddress } from 'node:net'

/** The two ends of a TCP connection, as `SSH_CONNECTION` has them: an address and a port each. */
interface Connection {
  /** Of the peer. */
  readonly from: string
  /** Of this machine. */
  readonly to: string
}

interface Row extends Connection {
  readonly isOpen: boolean
  readonly user: number
}

const ESTABLISHED = '01'

/** `192.0.2.7 50000 192.0.2.1 22`: who connected, and to what. */
export function parseSshConnection(text: string): Connection | undefined {
  const [from = '', fromPort, to = '', toPort] = text.split(' ')
  if (!/^\d+$/.test(fromPort ?? '') || !/^\d+$/.test(toPort ?? '')) return undefined
  return { from: `${plainAddress(from)} ${fromPort}`, to: `${plainAddress(to)} ${toPort}` }
}

/**
 * Whether a process of root has this connection from another machine, and nothing on this machine is connected to the same
 * port. SSH_CONNECTION alone proves nothing: an agent can set it. `tables` are /proc/net/tcp and tcp6; see proc(5).
 */
export function isRemote(wanted: Connection, tables: readonly string[]): boolean {
  const rows = tables.flatMap(parseTable).filter(({ isOpen }) => isOpen)
  const isHere = ({ from, to }: Connection) => rows.some((other) => other.from === to && other.to === from)
  const port = portOf(wanted.to)
  const peers = rows.filter(({ to }) => portOf(to) === port)
  const isThere = peers.some(({ from, to, user }) => from === wanted.from && to === wanted.to && user === 0)
  return isThere && !peers.some(isHere)
}

function parseTable(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, local, remote, state, , , , user] = line.trim().split(/\s+/)
    if (!/^[\dA-F]+:[\dA-F]{4}$/.test(local ?? '')) return []
    return [{ to: endOf(local), from: endOf(remote), isOpen: state === ESTABLISHED, user: Number(user) }]
  })
}

/** Addresses are 32-bit words in little-endian order. */
function endOf(text = ''): string {
  const [address = '', port = ''] = text.split(':')
  const bytes = Buffer.from(address, 'hex').swap32()
  const plain = bytes.length === 4 ? bytes.join('.') : (bytes.toString('hex').match(/.{4}/g) ?? []).join(':')
  return `${plainAddress(plain)} ${Number.parseInt(port, 16)}`
}

function portOf(end: string): string {
  return end.slice(end.indexOf(' ') + 1)
}

/** The shortest form; an IPv4-mapped IPv6 address becomes IPv4. */
function plainAddress(text: string): string {
  const [address = ''] = text.split('%')
  if (!address.includes(':')) return address
  try {
    return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '')
  } catch {
    return address
  }
}
