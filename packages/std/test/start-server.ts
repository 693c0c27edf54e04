import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

export interface TestServer {
  readonly host: string
  readonly origin: string
  close(): Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

const answers = new Map<string, Answer>([
  ['/hello', (_, response) => response.setHeader('content-type', 'text/plain; charset=utf-8').end('héllo ✓')],
  [
    '/latin1',
    (_, response) =>
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from([0xe9])),
  ],
  ['/bytes', (_, response) => response.end(Buffer.from([0, 255, 128]))],
  ['/json', (_, response) => response.end('{"items":[1,2],"name":"é"}')],
  ['/missing', (_, response) => response.writeHead(404).end('no such page')],
  ['/redirect', (_, response) => response.writeHead(302, { location: '/hello' }).end()],
  ['/large', (_, response) => response.end(Buffer.alloc(10_000_001, 'a'))],
  [
    '/bomb',
    (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(10_000_001))),
  ],
  ['/never', () => undefined],
  ['/stalls', (_, response) => response.write('a beginning')],
  ['/empty', (_, response) => response.writeHead(204).end()],
  [
    '/echo',
    async (request, response) => {
      const { accept, 'content-type': contentType, 'x-test': test } = request.headers
      response.end(
        JSON.stringify({ method: request.method, accept, contentType, test, body: await text(request) }),
      )
    },
  ],
])

/** A real server on a free port of the loopback address. */
export async function startServer(): Promise<TestServer> {
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    if (answer) void answer(request, response)
    else response.writeHead(500).end('no such answer')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return {
    host,
    origin: `http://${host}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
