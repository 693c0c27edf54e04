import { printFqdn, type Name } from '@pml/core'
import type { Metadata } from '@pml/core/schemas'
import { and, desc, eq } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { mcpName, mcpRelease, publication } from '../db/schema.ts'

/** Everything about the current release of a name that the caller was already found to be allowed to see. */
export async function readMetadata({ orm }: Database, name: Name): Promise<Metadata> {
  const publications = await orm
    .select({ hash: mcpRelease.hash, integrity: publication.integrity, publishedAt: publication.publishedAt })
    .from(publication)
    .innerJoin(
      mcpRelease,
      and(eq(mcpRelease.name, publication.name), eq(mcpRelease.integrity, publication.integrity)),
    )
    .where(eq(publication.name, name))
    .orderBy(desc(publication.id))
  const [row] = await orm
    .select()
    .from(mcpName)
    .innerJoin(mcpRelease, and(eq(mcpRelease.name, mcpName.name), eq(mcpRelease.integrity, mcpName.current)))
    .where(eq(mcpName.name, name))
  const [latest, ...history] = publications.map(({ hash, integrity, publishedAt }) => ({
    fqdn: printFqdn(name, hash),
    integrity,
    publishedAt: publishedAt.toISOString(),
  }))
  if (!row || !latest) throw new Error(`${name} has a current release that was never published`)
  const { mcp_release: release, mcp_name: owner } = row
  return {
    fqdn: printFqdn(name, release.hash),
    name,
    type: release.type,
    routing: release.routing,
    description: release.description,
    tools: release.tools,
    integrity: release.integrity,
    publishedAt: latest.publishedAt,
    size: release.sizeBytes,
    visibility: owner.visibility,
    history,
  }
}
