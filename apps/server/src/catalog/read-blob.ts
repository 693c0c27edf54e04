import { findIntegrity, mayRead, PmlError, reprDigest, type Integrity } from '@pml/core'
import { eq } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { blob, blobUse, mcpName } from '../db/schema.ts'
import { byteString, corsHeaders, type Conditional } from '../http/answer.ts'
import type { Actor } from '../keys/actor.ts'

const A_YEAR = 'max-age=31536000, immutable'

export interface Blob {
  readonly integrity: Integrity
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly isPublic: boolean
}

export function parseBlobAddress(text: string): Integrity {
  const integrity = findIntegrity(text)
  if (integrity) return integrity
  throw new PmlError(
    'not_found',
    'No release has that integrity: expected sha256- and 64 lowercase hex characters',
  )
}

/** Any bytes ever published, for whoever may read a name that used them; retired names count. */
export async function readBlob({ orm }: Database, actor: Actor, integrity: Integrity): Promise<Blob> {
  const uses = await orm
    .select({ name: blobUse.name, visibility: mcpName.visibility })
    .from(blobUse)
    .innerJoin(mcpName, eq(mcpName.name, blobUse.name))
    .where(eq(blobUse.integrity, integrity))
  const isPublic = uses.some(({ visibility }) => visibility === 'public')
  const readable = isPublic || uses.some(({ name }) => mayRead(actor.scopes, name))
  const [row] = readable ? await orm.select().from(blob).where(eq(blob.integrity, integrity)) : []
  if (!row) throw new PmlError('not_found', `No release has the integrity ${integrity}`)
  return { integrity, mediaType: row.mediaType, bytes: row.bytes, isPublic }
}

export function answerForBlob({ integrity, mediaType, bytes, isPublic }: Blob): Conditional {
  const etag = `"${integrity}"`
  const shared = {
    ETag: etag,
    'Cache-Control': `${isPublic ? 'public' : 'private'}, ${A_YEAR}`,
    ...corsHeaders,
  }
  const full = {
    'Content-Type': mediaType,
    'Content-Length': String(bytes.length),
    'Repr-Digest': reprDigest(integrity),
    'X-Content-Type-Options': 'nosniff',
    ...shared,
  }
  return {
    etag,
    found: { status: 200, headers: full, body: byteString(bytes) },
    notModified: { status: 304, headers: shared, body: null },
  }
}
