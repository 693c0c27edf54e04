import { PmlError } from '@pml/core'

/** All of a body, as long as it keeps to the limit; what is over it is never held. */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  requireWithin(Number(request.headers.get('content-length') ?? 0), limitBytes)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body) {
      length += chunk.length
      requireWithin(length, limitBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof PmlError ? error : cutOff()
  }
  return Buffer.concat(chunks, length)
}

/** Nobody hears it; the log must not take it for a failure of ours. */
export function cutOff(): PmlError {
  return new PmlError('cancelled', 'Cannot read the body: the caller went away')
}

export function requireWithin(length: number, limitBytes: number): void {
  if (length <= limitBytes) return
  throw new PmlError('too_large', `Cannot take the content: expected at most ${limitBytes} bytes`, {
    limit: limitBytes,
  })
}
