import { parseStrictJson, PmlError } from '@pml/core'
import { readBody } from './read-body.ts'

const DEFAULT_LIMIT_BYTES = 1024 * 1024

export function mediaTypeIn(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function requireJson(request: Request): void {
  const type = mediaTypeIn(request)
  if (type === 'application/json' || type.endsWith('+json')) return
  throw new PmlError(
    'unsupported_media_type',
    `Cannot take a body of type '${type.slice(0, 80)}': expected application/json`,
  )
}

export async function readJson(request: Request, limitBytes = DEFAULT_LIMIT_BYTES): Promise<unknown> {
  requireJson(request)
  return parseJson(await readBody(request, limitBytes))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: UTF-8, no duplicate keys, bounded depth. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new PmlError('invalid_json', 'Cannot read the body: expected UTF-8 text')
  }
  return parseStrictJson(text, 'the body')
}
