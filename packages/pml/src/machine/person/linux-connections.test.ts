import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { isRemote, parseSshConnection } from './linux-connections.ts'

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const row = (local: string, remote: string, { state = '01', user = 0 } = {}) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${user} 0 1 1 0 100 0 0 10 0\n`

/** 192.0.2.1:22, 192.0.2.7:50000 and so on, as the kernel writes them. */
const [server, peer, loop] = ['010200C0:0016', '070200C0:C350', '0100007F:0016']
const said = parseSshConnection('192.0.2.7 50000 192.0.2.1 22') ?? { from: '', to: '' }
const isFar = (...rows: string[]) => isRemote(said, [head + rows.join('')])

it('takes a connection from another machine to a server of root', () => {
  expect(isFar(row(server, peer))).toBe(true)
  expect(
    isFar(row(server, peer), row('0100007F:1F90', '0100007F:A000'), row('0100007F:A000', '0100007F:1F90')),
  ).toBe(true)
})

it.each([
  ['that is not there', []],
  ['that is closed', [row(server, peer, { state: '06' })]],
  ['of a server that is not of root', [row(server, peer, { user: 1000 })]],
  ['from this machine', [row(server, peer), row(peer, server)]],
  [
    'beside one from this machine',
    [row(server, peer), row(loop, '0100007F:A000'), row('0100007F:A000', loop)],
  ],
])('takes none %s', (_what, rows) => {
  expect(isFar(...rows)).toBe(false)
})

it('knows IPv6, and IPv4 within it', () => {
  const six = [
    'B80D0120000000000000000001000000:0016 B80D0120000000000000000007000000:C350',
    '0000000000000000FFFF0000010200C0:0016 0000000000000000FFFF0000070200C0:C350',
  ].map((ends) => head + row(ends.split(' ')[0] ?? '', ends.split(' ')[1] ?? ''))
  const far = parseSshConnection('2001:db8::7 50000 2001:db8::1 22') ?? said
  expect([isRemote(far, six), isRemote(said, six), isRemote(far, [six[1] ?? ''])]).toEqual([
    true,
    true,
    false,
  ])
})

it.each(['', 'x', '1.2.3.4 x 1.2.3.4 22', '1.2.3.4 5'])('does not understand %j', (text) => {
  expect(parseSshConnection(text)).toBeUndefined()
})

it.runIf(process.platform === 'linux')('sees a real connection of this machine to itself', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  const [[accepted]] = (await Promise.all([once(listener, 'connection'), once(client, 'connect')])) as [
    [{ destroy(): void }],
    unknown,
  ]
  const table = readFileSync('/proc/net/tcp', 'utf8')
  const own = parseSshConnection(`127.0.0.1 ${client.localPort} 127.0.0.1 ${port}`) ?? said
  // Without the row of the client it would be one from elsewhere.
  const other = table
    .split('\n')
    .filter((line) => !line.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} 01 `))
  expect(isRemote(own, [table])).toBe(false)
  expect(isRemote(own, [other.join('\n')])).toBe(process.getuid?.() === 0)
  client.destroy()
  accepted.destroy()
  listener.close()
})
