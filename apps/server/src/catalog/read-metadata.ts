import { hashMatches, mayRead, printFqdn, type Name } from '@pml/core'
import type { Metadata } from '@pml/core/schemas'
import { and, desc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { mcpName, mcpRelease, publication } from '../db/schema.ts'
import type { Actor } from '../keys/actor.ts'
import { hashMismatch, notFound } from './refusals.ts'

/** Describes the current release of a name. Omits earlier private releases that the caller may not read. */
export function readMetadata(
  { orm }: Database,
  actor: Actor,
  { name, hash }: { name: Name; hash: string | undefined },
): Promise<Metadata> {
  const asOfOneMoment = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const
  return orm.transaction(async (tx) => {
    const { release, visibility } = await readCurrent(tx, name)
    const seesPrivate = mayRead(actor.scopes, name)
    // The entry may have become private since the caller was authorized.
    if (visibility === 'private' && !seesPrivate) throw notFound(name)
    if (hash !== undefined && !hashMatches(hash, release)) {
      throw hashMismatch(name, { asked: hash, current: release.hash })
    }
    const [latest, ...earlier] = await readPublications(tx, name)
    if (!latest) throw new Error(`${name} has a current release that was never published`)
    const { type, routing, description, tools, integrity, sizeBytes: size } = release
    const { fqdn, publishedAt } = latest
    const history = earlier
      .filter((one) => seesPrivate || one.visibility === 'public')
      .map(({ visibility: _own, ...shown }) => shown)
    return {
      fqdn,
      name,
      type,
      routing,
      description,
      tools,
      integrity,
      publishedAt,
      size,
      visibility,
      history,
    }
  }, asOfOneMoment)
}

async function readCurrent(tx: Transaction, name: Name) {
  const [row] = await tx
    .select({ release: mcpRelease, visibility: mcpName.visibility })
    .from(mcpName)
    .innerJoin(mcpRelease, and(eq(mcpRelease.name, mcpName.name), eq(mcpRelease.integrity, mcpName.current)))
    .where(eq(mcpName.name, name))
  if (!row) throw new Error(`${name} has lost its current release`)
  return row
}

/** Returns the publications of a name, the newest first. */
async function readPublications(tx: Transaction, name: Name) {
  const rows = await tx
    .select({
      hash: mcpRelease.hash,
      integrity: publication.integrity,
      publishedAt: publication.publishedAt,
      visibility: mcpRelease.visibility,
    })
    .from(publication)
    .innerJoin(
      mcpRelease,
      and(eq(mcpRelease.name, publication.name), eq(mcpRelease.integrity, publication.integrity)),
    )
    .where(eq(publication.name, name))
    .orderBy(desc(publication.id))
  return rows.map(({ hash, integrity, publishedAt, visibility }) => ({
    fqdn: printFqdn(name, hash),
    integrity,
    visibility,
    publishedAt: publishedAt.toISOString(),
  }))
}
