import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/** A server on a free port of this machine that calls `respond`. */
export async function serveWeb(
  respond: (request: Request) => Promise<Response>,
): Promise<{ url: URL; stop(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const body = incoming.method === 'POST' ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}
    const init = { method: incoming.method, headers: incoming.headers, ...body } as RequestInit
    const response = await respond(new Request(`http://${incoming.headers.host}${incoming.url}`, init))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) return void outgoing.end()
    const stream = Readable.fromWeb(response.body as ReadableStream)
    stream.on('error', () => outgoing.destroy()).pipe(outgoing)
    outgoing.on('close', () => stream.destroy())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
