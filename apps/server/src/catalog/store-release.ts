import { hashFor, hexOf, SHORTEST_HASH, type Integrity, type Name } from '@pml/core'
import { and, eq, like } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import {
  blob,
  blobUse,
  mcpName,
  mcpRelease,
  publication,
  toolSchema,
  type Source,
  type Visibility,
} from '../db/schema.ts'
import type { Actor } from '../keys/actor.ts'
import { mediaTypeOf, searchTextOf, servedFor, type ReleaseDraft } from './release.ts'

export interface Stored {
  readonly hash: string
  /** Whether the content is another than before; attributes beside it may have changed either way. */
  readonly created: boolean
}

interface Place {
  readonly name: Name
  readonly source: Source
  /** Undefined keeps what the name has; a new name is public. */
  readonly visibility?: Visibility | undefined
}

/** The row of a name, locked: whoever holds it decides alone what is current. */
export async function lockName(
  tx: Transaction,
  { name, source, visibility }: Place,
): Promise<typeof mcpName.$inferSelect> {
  await tx.insert(mcpName).values({ name, source, visibility }).onConflictDoNothing()
  const [row] = await tx.select().from(mcpName).where(eq(mcpName.name, name)).for('update')
  if (!row) throw new Error(`mcp_name lost ${name}`)
  return row
}

/** Makes the draft the current release of a name, in the caller's transaction. */
export async function storeRelease(
  tx: Transaction,
  actor: Actor,
  { place, draft }: { place: Place; draft: ReleaseDraft },
): Promise<Stored> {
  const { name, source } = place
  const before = await lockName(tx, place)
  const visibility = place.visibility ?? before.visibility
  const [stored] = await tx.select().from(mcpRelease).where(releaseIs(name, draft.integrity))
  const sameContent = before.current === draft.integrity && before.retiredAt === null
  const sameName = sameContent && before.source === source && before.visibility === visibility
  if (stored && sameName && sameAttributes(stored, draft)) return { hash: stored.hash, created: false }

  const hash = stored?.hash ?? (await freeHash(tx, name, draft.integrity))
  await keepBlob(tx, name, {
    integrity: draft.integrity,
    mediaType: mediaTypeOf(draft.type),
    bytes: draft.bytes,
  })
  await keepRelease(tx, { name, hash, draft })
  await replaceToolSchemas(tx, name, draft)
  if (!sameContent)
    await tx.insert(publication).values({ name, integrity: draft.integrity, publishedBy: actor.id })
  await tx
    .update(mcpName)
    .set({ source, visibility, current: draft.integrity, retiredAt: null })
    .where(eq(mcpName.name, name))
  const detail = { integrity: draft.integrity, previous: before.current, visibility, routing: draft.routing }
  await recordEvent(tx, actor, {
    action: sameContent ? 'mcp.describe' : 'mcp.publish',
    subject: name,
    detail,
  })
  return { hash, created: !sameContent }
}

/** Bytes that a name refers to, beside its releases too (the lock of a pinned tree). */
export async function keepBlob(
  tx: Transaction,
  name: Name,
  { integrity, mediaType, bytes }: { integrity: Integrity; mediaType: string; bytes: Uint8Array },
): Promise<void> {
  await tx
    .insert(blob)
    .values({ integrity, mediaType, bytes: Buffer.from(bytes) })
    .onConflictDoNothing()
  await tx.insert(blobUse).values({ integrity, name }).onConflictDoNothing()
}

/** Only releases that share the shortest label can stand in the way of another. */
async function freeHash(tx: Transaction, name: Name, integrity: Integrity): Promise<string> {
  const rivals = await tx
    .select({ integrity: mcpRelease.integrity })
    .from(mcpRelease)
    .where(
      and(
        eq(mcpRelease.name, name),
        like(mcpRelease.integrity, `sha256-${hexOf(integrity).slice(0, SHORTEST_HASH)}%`),
      ),
    )
  return hashFor(
    integrity,
    rivals.map((rival) => rival.integrity),
  )
}

async function keepRelease(
  tx: Transaction,
  { name, hash, draft }: { name: Name; hash: string; draft: ReleaseDraft },
): Promise<void> {
  const served = servedFor(name, hash, draft)
  const attributes = {
    type: draft.type,
    routing: draft.routing,
    routingChosen: draft.routingChosen,
    description: draft.description,
    tools: [...draft.tools],
    search: searchTextOf(name, draft),
    sizeBytes: draft.bytes.length,
    served: served.bytes && Buffer.from(served.bytes),
    servedDigest: served.digest,
  }
  await tx
    .insert(mcpRelease)
    .values({ name, integrity: draft.integrity, hash, ...attributes })
    .onConflictDoUpdate({ target: [mcpRelease.name, mcpRelease.integrity], set: attributes })
}

async function replaceToolSchemas(tx: Transaction, name: Name, { schemas }: ReleaseDraft): Promise<void> {
  await tx.delete(toolSchema).where(eq(toolSchema.name, name))
  if (schemas.length > 0) await tx.insert(toolSchema).values(schemas.map((schema) => ({ name, ...schema })))
}

function sameAttributes(stored: typeof mcpRelease.$inferSelect, draft: ReleaseDraft): boolean {
  return (
    stored.routing === draft.routing &&
    stored.routingChosen === draft.routingChosen &&
    stored.description === draft.description &&
    stored.tools.join(' ') === draft.tools.join(' ')
  )
}

function releaseIs(name: Name, integrity: Integrity) {
  return and(eq(mcpRelease.name, name), eq(mcpRelease.integrity, integrity))
}
