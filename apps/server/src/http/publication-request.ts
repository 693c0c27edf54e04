import { PmlError, type Name } from '@pml/core'
import type { Context } from 'hono'
import { description, routing, visibility } from '@pml/core/schemas'
import { z } from 'zod'
import type { Publication } from '../catalog/publish.ts'
import type { Actor } from '../keys/actor.ts'
import type { Env } from './observe-requests.ts'
import { parseBody } from './parse-body.ts'
import { requireWithin, type Bodies } from './read-body.ts'
import { mediaTypeIn, parseJson } from './read-json.ts'

export const MODULE_LIMIT_BYTES = 1024 * 1024

const moduleTypes = new Set([
  '',
  'application/typescript',
  'text/typescript',
  'application/x-typescript',
  'video/mp2t',
  'text/plain',
])
const attributes = z.object({
  description: description.optional(),
  routing: routing.optional(),
  visibility: visibility.optional(),
})

/** What a PUT publishes: the content is the body, its attributes are in the query or in X-PML headers. */
export async function publicationIn(
  c: Context<Env>,
  bodies: Bodies,
  { name, actor }: { name: Name; actor: Actor },
): Promise<Publication> {
  const request = c.req.raw
  const type = mediaTypeIn(c.env.incoming)
  const isDocument = type === 'application/json'
  if (!isDocument && !moduleTypes.has(type)) {
    throw new PmlError(
      'unsupported_media_type',
      `Cannot publish a body of type '${type.slice(0, 80)}': expected application/typescript or application/json`,
    )
  }
  return bodies.read(c.env.incoming, { actor, limitBytes: MODULE_LIMIT_BYTES }, (bytes) =>
    parsePublication({ name, bytes, isDocument }, attributesIn(request)),
  )
}

export function parsePublication(
  { name, bytes, isDocument }: { name: Name; bytes: Uint8Array; isDocument: boolean },
  { description, routing, visibility }: z.infer<typeof attributes>,
): Publication {
  if (bytes.length === 0) throw new PmlError('invalid_body', `Cannot publish ${name}: the body is empty`)
  requireWithin(bytes.length, MODULE_LIMIT_BYTES)
  const content = isDocument
    ? ({ kind: 'document', value: parseJson(bytes) } as const)
    : ({ kind: 'module', bytes } as const)
  return { content, description, routing, visibility }
}

function attributesIn(request: Request): z.infer<typeof attributes> {
  const query = new URL(request.url).searchParams
  const given = (key: string) => query.get(key) ?? utf8(request.headers.get(`x-pml-${key}`)) ?? undefined
  return parseBody(attributes, {
    description: given('description'),
    routing: given('routing'),
    visibility: given('visibility'),
  })
}

/** Field values arrive one character to a byte; what was sent as UTF-8 is read as UTF-8. */
function utf8(field: string | null): string | null {
  if (field === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(field, 'latin1'))
  } catch {
    return field
  }
}
