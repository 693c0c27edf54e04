import type { FetchLike } from '@modelcontextprotocol/client'
import { readBounded } from '../machine/read-bounded.ts'
import { MESSAGE_LIMIT_BYTES, tooLargeAnswer } from './too-large.ts'

type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** Fetches from one origin only, and replaces a message over the limit with an error response. */
export function guardFetch(fetch: FetchLike, { origin }: URL): FetchLike {
  return async (url, init) => {
    if (new URL(url).origin !== origin) throw new Error(`expected only addresses of ${origin}`)
    const response = await fetch(url, { ...init, redirect: 'manual' })
    const { body, status, statusText, headers } = response
    if (body === null) return response
    const refusal = JSON.stringify(tooLargeAnswer(idIn(init?.body)))
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const bounded = isStream ? body.pipeThrough(boundedEvents(refusal)) : await readWhole(body, refusal)
    return new Response(bounded, { status, statusText, headers: plainHeaders(headers) })
  }
}

function idIn(body: unknown): string | number {
  const { id } = typeof body === 'string' ? (JSON.parse(body) as { id?: string | number }) : {}
  return id ?? -1
}

async function readWhole(body: ReadableStream<Uint8Array>, refusal: string): Promise<Bytes> {
  const bytes = await readBounded(body, MESSAGE_LIMIT_BYTES)
  return bytes.length > MESSAGE_LIMIT_BYTES ? encoder.encode(refusal) : bytes
}

/** Limits each event; the stream itself may be endless. */
function boundedEvents(refusal: string): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\n\r\n'), text.lastIndexOf('\r\r'))
      length = end === -1 ? length + chunk.length : chunk.length - end
      if (length <= MESSAGE_LIMIT_BYTES) return controller.enqueue(chunk)
      controller.enqueue(encoder.encode(`\n\ndata: ${refusal}\n\n`))
      controller.terminate()
    },
  })
}

/** Drops the headers of the encoded body: `fetch` has decoded it. */
function plainHeaders(headers: Headers): Headers {
  const plain = new Headers(headers)
  for (const name of ['content-encoding', 'content-length']) plain.delete(name)
  return plain
}
