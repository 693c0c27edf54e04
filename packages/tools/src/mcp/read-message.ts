import { readRequestBody } from '@modelcontextprotocol/server'
import { PmlError } from '@pml/core'

/** Throws `too_large` before more than the limit is held, `cancelled` and `invalid_json`. */
export async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes).catch((error: unknown) => {
    if (error instanceof PmlError) throw error
    throw new PmlError('cancelled', 'Cannot read the message: the client went away')
  })
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new PmlError('invalid_json', 'Cannot read the message: expected JSON')
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const declaredBytes = request.headers.get('content-length')
  // HTTP delivers no more than was declared, so all of it may be read at once, which costs a fraction of a stream.
  if (declaredBytes !== null && Number(declaredBytes) <= maxBytes) {
    const text = await request.text()
    if (text.length <= maxBytes) return text
    throw tooLarge(maxBytes)
  }
  const body = await readRequestBody(request, maxBytes)
  if (body.tooLarge) throw tooLarge(maxBytes)
  return body.text
}

function tooLarge(maxBytes: number): PmlError {
  return new PmlError('too_large', `Cannot take the message: expected at most ${maxBytes} bytes`, {
    limit: maxBytes,
  })
}
