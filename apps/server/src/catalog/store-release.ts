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

interface Stored {
  readonly hash: string
  /** Whether the content changed; attributes may have changed regardless. */
  readonly created: boolean
}

interface Place {
  readonly name: Name
  readonly source: Source
  /** Undefined keeps the current visibility; a new name is public. */
  readonly visibility?: Visibility | undefined
  /** Runs under the lock; throws if this source may not change the name. */
  readonly guard?: (before: NameRow) => void
}

export type NameRow = typeof mcpName.$inferSelect

/** Makes the draft the current release of a name, in the caller's transaction. Pipelines independent statements. */
export async function storeRelease(
  tx: Transaction,
  actor: Actor,
  { place, draft }: { place: Place; draft: ReleaseDraft },
): Promise<Stored> {
  const { name, source } = place
  const { before, stored, rivals } = await lockName(tx, place, draft.integrity)
  place.guard?.(before)
  const visibility = place.visibility ?? before.visibility
  const sameContent = before.current === draft.integrity && before.retiredAt === null
  const sameName = sameContent && before.source === source && before.visibility === visibility
  if (stored && sameName && sameAttributes(stored, draft)) return { hash: stored.hash, created: false }

  const hash = stored?.hash ?? hashFor(draft.integrity, rivals)
  const event = {
    action: sameContent ? 'mcp.describe' : 'mcp.publish',
    subject: name,
    detail: { integrity: draft.integrity, previous: before.current, visibility, routing: draft.routing },
  }
  await Promise.all([
    keepBlob(tx, name, {
      integrity: draft.integrity,
      mediaType: mediaTypeOf(draft.type),
      bytes: draft.bytes,
      visibility,
    }),
    keepRelease(tx, { name, hash, draft, visibility }),
    replaceToolSchemas(tx, name, draft),
    sameContent || tx.insert(publication).values({ name, integrity: draft.integrity, publishedBy: actor.id }),
    tx
      .update(mcpName)
      .set({ source, visibility, current: draft.integrity, retiredAt: null })
      .where(eq(mcpName.name, name)),
    recordEvent(tx, actor, event),
  ])
  return { hash, created: !sameContent }
}

/** Locks the row of a name, which serializes its releases. Rivals are the releases with the same shortest label. */
async function lockName(tx: Transaction, { name, source, visibility }: Place, integrity: Integrity) {
  const alike = `sha256-${hexOf(integrity).slice(0, SHORTEST_HASH)}%`
  const [, [before], similar] = await Promise.all([
    tx.insert(mcpName).values({ name, source, visibility }).onConflictDoNothing(),
    tx.select().from(mcpName).where(eq(mcpName.name, name)).for('update'),
    tx
      .select()
      .from(mcpRelease)
      .where(and(eq(mcpRelease.name, name), like(mcpRelease.integrity, alike))),
  ])
  if (!before) throw new Error(`mcp_name lost ${name}`)
  const stored = similar.find((release) => release.integrity === integrity)
  return { before, stored, rivals: similar.map((release) => release.integrity) }
}

interface UsedBlob {
  readonly integrity: Integrity
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly visibility: Visibility
}

/** Stores bytes that a name refers to: a release, or the lock of a pinned tree. A public use stays public. */
export async function keepBlob(
  tx: Transaction,
  name: Name,
  { integrity, mediaType, bytes, visibility }: UsedBlob,
): Promise<void> {
  await tx
    .insert(blob)
    .values({ integrity, mediaType, bytes: Buffer.from(bytes) })
    .onConflictDoNothing()
  const use = tx.insert(blobUse).values({ integrity, name, visibility })
  if (visibility === 'private') await use.onConflictDoNothing()
  else
    await use.onConflictDoUpdate({
      target: [blobUse.integrity, blobUse.name],
      set: { visibility },
      setWhere: eq(blobUse.visibility, 'private'),
    })
}

async function keepRelease(
  tx: Transaction,
  {
    name,
    hash,
    draft,
    visibility,
  }: { name: Name; hash: string; draft: ReleaseDraft; visibility: Visibility },
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
    visibility,
  }
  await tx
    .insert(mcpRelease)
    .values({ name, integrity: draft.integrity, hash, ...attributes })
    .onConflictDoUpdate({ target: [mcpRelease.name, mcpRelease.integrity], set: attributes })
}

async function replaceToolSchemas(tx: Transaction, name: Name, { schemas }: ReleaseDraft): Promise<void> {
  await Promise.all([
    tx.delete(toolSchema).where(eq(toolSchema.name, name)),
    schemas.length === 0 || tx.insert(toolSchema).values(schemas.map((schema) => ({ name, ...schema }))),
  ])
}

function sameAttributes(stored: typeof mcpRelease.$inferSelect, draft: ReleaseDraft): boolean {
  return (
    stored.routing === draft.routing &&
    stored.routingChosen === draft.routingChosen &&
    stored.description === draft.description &&
    stored.tools.join(' ') === draft.tools.join(' ')
  )
}
