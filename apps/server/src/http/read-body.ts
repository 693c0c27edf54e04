import { PmlError } from '@pml/core'

/** All of a body, as long as it keeps to the limit; what is over it is never held. */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new PmlError('too_large', `Cannot take the body: expected at most ${limitBytes} bytes`, {
      limit: limitBytes,
    })
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge()
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > limitBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
