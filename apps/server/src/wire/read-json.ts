import type { IncomingMessage } from 'node:http'
import { parseStrictJson, PmlError } from '@pml/core'
import type { Bodies, BodyOptions } from './read-body.ts'

/** More than any valid request holds, and few enough to build in milliseconds. */
const MOST_VALUES = 50_000

export function mediaTypeIn({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function requireJson(request: IncomingMessage): void {
  const type = mediaTypeIn(request)
  if (type === 'application/json' || type.endsWith('+json')) return
  throw new PmlError(
    'unsupported_media_type',
    `Unsupported content type '${type.slice(0, 80)}': expected application/json`,
  )
}

export async function readJson(
  bodies: Bodies,
  request: IncomingMessage,
  options: BodyOptions & { readonly mostValues?: number },
): Promise<unknown> {
  requireJson(request)
  return bodies.read(request, options, (bytes) => parseJson(bytes, options.mostValues))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses strict JSON: UTF-8, no duplicate keys, limited depth and number of values. */
export function parseJson(bytes: Uint8Array, mostValues = MOST_VALUES): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new PmlError('invalid_json', 'Cannot read the body: expected UTF-8 text')
  }
  return parseStrictJson(text, 'the body', { mostValues })
}
