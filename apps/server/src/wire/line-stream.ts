import { corsHeaders } from './answer.ts'
import { unkept } from './json-answer.ts'

const encoder = new TextEncoder()

export const LINES_OF_JSON = 'application/x-ndjson'

/**
 * Streams lines of JSON at the speed of the reader. After a failure the stream stays open: `onFailure` must destroy the
 * connection, because a normal end would make the response look complete.
 */
export function lineStream(lines: AsyncIterable<string>, onFailure: (error: unknown) => void): Response {
  const parts = lines[Symbol.asyncIterator]()

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const part = await parts.next()
      if (part.done) controller.close()
      else controller.enqueue(encoder.encode(part.value))
    } catch (error) {
      onFailure(error)
    }
  }

  const cancel = async () => void (await parts.return?.())
  const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  return new Response(body, { headers: { 'Content-Type': LINES_OF_JSON, ...unkept, ...corsHeaders } })
}
