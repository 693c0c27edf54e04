import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBounded } from '../machine/read-bounded.ts'

const MOST_BYTES = 4 * 1024 * 1024

/** Converts a request. It is aborted when its client disconnects. */
export function requestOf(
  incoming: IncomingMessage,
  { body, response }: { body: Buffer<ArrayBuffer>; response: ServerResponse },
): Request {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headersDistinct))
    for (const one of value ?? []) headers.append(name, one)
  const { method = 'GET', url = '/' } = incoming
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers,
    signal: gone.signal,
    ...(body.length > 0 && { body }),
  })
}

/** The body of a request; undefined if it is over the limit. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const bytes = await readBounded(incoming, MOST_BYTES)
  return bytes.length > MOST_BYTES ? undefined : bytes
}

/** Sends a response. Streams are sent in chunks, as fast as the client reads. */
export async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body) {
    const reader = answer.body.getReader()
    const closed = closeOf(response).then(() => reader.cancel().catch(() => undefined))
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.destroyed) break
      if (response.write(value)) continue
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed])
    }
  }
  response.end()
}

/** Resolves when the response is closed, for any reason. */
export function closeOf(response: ServerResponse): Promise<unknown> {
  return new Promise((done) => response.once('close', done))
}
