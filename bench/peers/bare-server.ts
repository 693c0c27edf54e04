// The minimal Node server: every request gets the same bytes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RawAnswer } from '../raw-answer.ts'

/** The same as the registry's, because it appears in the Keep-Alive header. */
const KEEP_ALIVE_MS = 65_000

process.once('message', (message) => serve(message as RawAnswer))
process.on('disconnect', () => process.exit())

function serve({ status, headers, body }: RawAnswer): void {
  const fields = Object.fromEntries(headers)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_request, response) => {
    response.writeHead(status, fields)
    if (body.length > 0) response.end(body)
    else response.end()
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}
