import { corsHeaders } from './answer.ts'
import { unkept } from './json-answer.ts'

const encoder = new TextEncoder()

export const LINES_OF_JSON = 'application/x-ndjson'

/**
 * Lines of JSON, read only as fast as they are taken. After a failure the answer never ends: whoever hears of it hangs up,
 * because the end of a stream would say that all of it was there.
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
