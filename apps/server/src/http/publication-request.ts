import { PmlError, type Name } from '@pml/core'
import type { Context } from 'hono'
import { description, routing, visibility } from '@pml/core/schemas'
import { z } from 'zod'
import { MODULE_LIMIT_BYTES, parsePublication } from '../catalog/parse-publication.ts'
import type { Publication } from '../catalog/publish.ts'
import type { Actor } from '../keys/actor.ts'
import type { Env } from './observe-requests.ts'
import { parseBody } from '../wire/parse-body.ts'
import type { Bodies } from '../wire/read-body.ts'
import { mediaTypeIn } from '../wire/read-json.ts'

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

/** Reads a publication from a PUT: the body is the content, attributes come from the query or X-PML headers. */
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

function attributesIn(request: Request): z.infer<typeof attributes> {
  const query = new URL(request.url).searchParams
  const given = (key: string) => query.get(key) ?? utf8(request.headers.get(`x-pml-${key}`)) ?? undefined
  return parseBody(attributes, {
    description: given('description'),
    routing: given('routing'),
    visibility: given('visibility'),
  })
}

/** Decodes a header value as UTF-8 if it is valid; Node gives one character for each byte. */
function utf8(field: string | null): string | null {
  if (field === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(field, 'latin1'))
  } catch {
    return field
  }
}
