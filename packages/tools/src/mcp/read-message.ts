import { parseStrictJson, PmlError } from '@pml/core'

/** More than any real message has, and few enough to parse in a few milliseconds. */
const MOST_VALUES = 50_000

/** Reads a body within the limits of the surrounding server, and passes it to `use`. */
export type ReadBody = <Value>(use: (bytes: Uint8Array) => Value) => Promise<Value>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws `too_large` before it buffers more than the limit, and `cancelled`. */
export function bodyOf(request: Request, maxBytes: number): ReadBody {
  return async (use) => {
    const bytes = await readBytes(request, maxBytes).catch((error: unknown) => {
      if (error instanceof PmlError) throw error
      throw new PmlError('cancelled', 'Cannot read the message: the client went away')
    })
    return use(bytes)
  }
}

/** Throws `invalid_json`. */
export function parseMessage(bytes: Uint8Array): unknown {
  return parseStrictJson(textOf(bytes), 'the message', { mostValues: MOST_VALUES })
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new PmlError('invalid_json', 'Cannot read the message: expected UTF-8 text')
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declaredBytes = request.headers.get('content-length')
  if (Number(declaredBytes ?? 0) > maxBytes) throw tooLarge(maxBytes)
  // HTTP delivers at most the declared length, so all of it can be read at once, which is much faster than a stream.
  const bytes =
    declaredBytes === null ? await readStream(request, maxBytes) : new Uint8Array(await request.arrayBuffer())
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  return bytes
}

async function readStream({ body }: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function tooLarge(maxBytes: number): PmlError {
  return new PmlError('too_large', `Cannot take the message: expected at most ${maxBytes} bytes`, {
    limit: maxBytes,
  })
}
