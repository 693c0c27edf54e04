import { PmlError } from '@pml/core/errors'

const LIMIT_BYTES = 16 * 1024 * 1024

export interface Answer {
  readonly isOk: boolean
  readonly status: number
  readonly text: string
}

/** All of an answer, as long as it keeps to the limit; what is over it is never held. */
export async function readAnswer(response: Response, { origin }: URL): Promise<Answer> {
  const { ok, status, body } = response
  if (status >= 300 && status < 400) {
    await body?.cancel()
    throw new PmlError(
      'unavailable',
      `Cannot use the answer of ${origin}: it redirects${targetOf(response)}; set PML_REGISTRY_URL to the registry's own address`,
    )
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > LIMIT_BYTES)
      throw new PmlError(
        'unavailable',
        `Cannot use the answer of ${origin}: it has more than ${LIMIT_BYTES} bytes`,
      )
    chunks.push(chunk)
  }
  return { isOk: ok, status, text: new TextDecoder().decode(Buffer.concat(chunks, length)) }
}

function targetOf({ headers }: Response): string {
  const target = headers.get('location') ?? ''
  return URL.canParse(target) ? ` to ${new URL(target).origin}` : ''
}
