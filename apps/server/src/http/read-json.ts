import { JsonSource, PmlError } from '@pml/core'
import { readBody } from './read-body.ts'

const DEFAULT_LIMIT_BYTES = 1024 * 1024

export function mediaTypeIn(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export async function readJson(request: Request, limitBytes = DEFAULT_LIMIT_BYTES): Promise<unknown> {
  const type = mediaTypeIn(request)
  if (type !== 'application/json' && !type.endsWith('+json')) {
    throw new PmlError(
      'unsupported_media_type',
      `Cannot take a body of type '${type.slice(0, 80)}': expected application/json`,
    )
  }
  return parseJson(await readBody(request, limitBytes))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: UTF-8, no duplicate keys, bounded depth. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    return findCompact(text) ?? strictly(text)
  } catch (error) {
    const why = error instanceof PmlError ? error.message : 'Cannot read the body: expected UTF-8 text'
    throw new PmlError('invalid_json', why.slice(0, 1000))
  }
}

/**
 * What a program prints, it prints without spaces: if printing the value gives the text again, no key was in it twice
 * and no number was too large. That costs a tenth of a strict reading, which looks for half characters as well.
 */
function findCompact(text: string): unknown {
  if (text.includes('\\u')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

function strictly(text: string): unknown {
  const source = new JsonSource(text, 'the body')
  source.requireSound()
  return JSON.parse(source.text)
}
