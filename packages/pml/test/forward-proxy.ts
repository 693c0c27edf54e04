import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** A company-style proxy for `HTTP_PROXY`, which forwards to the hosts it knows. */
export interface ForwardProxy {
  readonly url: string
  /** The requested hosts, as `host:port`. */
  readonly targets: string[]
  /** The credentials of each request, if any. */
  readonly users: (string | undefined)[]
  stop(): Promise<void>
}

/** `hosts` maps `host:port` to an address on this machine; all others are refused. */
export async function startForwardProxy(hosts: Readonly<Record<string, string>>): Promise<ForwardProxy> {
  const targets: string[] = []
  const users: (string | undefined)[] = []
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    targets.push(request.url ?? '')
    response.writeHead(501).end()
  })
  server.on('connect', (request, socket: Socket) => {
    const target = request.url ?? ''
    targets.push(target)
    users.push(request.headers['proxy-authorization'])
    const own = hosts[target]
    if (own === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const { hostname, port } = new URL(own)
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    for (const one of [socket, upstream]) {
      open.add(one)
      one.on('error', () => undefined).on('close', () => [socket, upstream].forEach((end) => end.destroy()))
    }
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    users,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
        for (const socket of open) socket.destroy()
      }),
  }
}
