import { findIntegrity, mayRead, PmlError, reprDigest, type Integrity } from '@pml/core'
import { and, eq } from 'drizzle-orm'
import type { Database, Orm } from '../db/connect.ts'
import { blob, blobUse } from '../db/schema.ts'
import { byteString, corsHeaders, type Conditional } from '../wire/answer.ts'
import type { Actor } from '../keys/actor.ts'

const A_YEAR = 'max-age=31536000, immutable'

interface Blob {
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

/**
 * Returns published bytes to an actor who may read a release that uses them, even one of a retired name. For an actor
 * without rights to private entries, unknown and private bytes take the same single query, so timing reveals nothing.
 */
export async function readBlob({ orm }: Database, actor: Actor, integrity: Integrity): Promise<Blob> {
  const isPublic = await hasPublicUse(orm, integrity)
  const readable = isPublic || (await isUsedFor(orm, actor, integrity))
  const [row] = readable ? await orm.select().from(blob).where(eq(blob.integrity, integrity)) : []
  if (!row) throw new PmlError('not_found', `No release has the integrity ${integrity}`)
  return { integrity, mediaType: row.mediaType, bytes: row.bytes, isPublic }
}

async function hasPublicUse(orm: Orm, integrity: Integrity): Promise<boolean> {
  const uses = await orm
    .select({ name: blobUse.name })
    .from(blobUse)
    .where(and(eq(blobUse.integrity, integrity), eq(blobUse.visibility, 'public')))
    .limit(1)
  return uses.length > 0
}

async function isUsedFor(orm: Orm, { scopes }: Actor, integrity: Integrity): Promise<boolean> {
  if (!scopes.some((scope) => /^(?:admin$|read:|publish:)/.test(scope))) return false
  const uses = await orm.select({ name: blobUse.name }).from(blobUse).where(eq(blobUse.integrity, integrity))
  return uses.some(({ name }) => mayRead(scopes, name))
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
