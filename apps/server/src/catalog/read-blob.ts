import { mayRead, PmlError, reprDigest, type Integrity } from '@pml/core'
import { eq } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { blob, blobUse, mcpName } from '../db/schema.ts'
import { byteString, corsHeaders, type Conditional } from '../http/answer.ts'
import type { Actor } from '../keys/actor.ts'

const A_YEAR = 'max-age=31536000, immutable'

/** Any bytes ever published, for whoever may read a name that used them; retired names count. */
export async function readBlob({ orm }: Database, actor: Actor, integrity: Integrity): Promise<Conditional> {
  const uses = await orm
    .select({ name: blobUse.name, visibility: mcpName.visibility })
    .from(blobUse)
    .innerJoin(mcpName, eq(mcpName.name, blobUse.name))
    .where(eq(blobUse.integrity, integrity))
  const isPublic = uses.some(({ visibility }) => visibility === 'public')
  const readable = isPublic || uses.some(({ name }) => mayRead(actor.scopes, name))
  const [row] = readable ? await orm.select().from(blob).where(eq(blob.integrity, integrity)) : []
  if (!row) throw new PmlError('not_found', `No release has the integrity ${integrity}`)
  const etag = `"${integrity}"`
  const shared = {
    ETag: etag,
    'Cache-Control': `${isPublic ? 'public' : 'private'}, ${A_YEAR}`,
    ...corsHeaders,
  }
  const full = {
    'Content-Type': row.mediaType,
    'Content-Length': String(row.bytes.length),
    'Repr-Digest': reprDigest(integrity),
    'X-Content-Type-Options': 'nosniff',
    ...shared,
  }
  return {
    etag,
    found: { status: 200, headers: full, body: byteString(row.bytes) },
    notModified: { status: 304, headers: shared, body: null },
  }
}
