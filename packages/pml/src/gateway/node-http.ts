import type { IncomingMessage, ServerResponse } from 'node:http'

const MOST_BYTES = 4 * 1024 * 1024

/** It is cancelled when its client goes away. */
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

/** Undefined for one over the limit. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length
    if (length > MOST_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** Streams are passed on piece by piece, as fast as the client takes them. */
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

/** However it ends. */
export function closeOf(response: ServerResponse): Promise<unknown> {
  return new Promise((done) => response.once('close', done))
}
