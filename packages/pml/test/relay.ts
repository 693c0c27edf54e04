import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An address of a registry that can be closed while the registry itself keeps running. */
export interface Relay {
  readonly url: string
  /** Idempotent. */
  stop(): Promise<void>
}

export async function startRelay(target: string): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const onward = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
