import {
  integrityOf,
  routingFor,
  toolNameOf,
  type Integrity,
  type Name,
  type Routing,
  type RoutingRules,
} from '@pml/core'
import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { appliedRouting, mcpName, mcpRelease } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

interface Follower {
  readonly name: Name
  readonly integrity: Integrity
  readonly routing: Routing
}

/** The batch size, so that a large registry is never in memory whole. */
const BATCH = 200

/**
 * Applies routing rules to published modules that did not choose a routing. Does nothing if these rules were applied
 * before. New rules walk all modules, which takes a while in a large registry; an interrupted walk starts over. Stops
 * early when the signal is aborted.
 */
export async function syncRouting(
  db: Database,
  routes: RoutingRules,
  signal: AbortSignal,
): Promise<{ changed: number }> {
  const digest = integrityOf(new TextEncoder().encode(JSON.stringify(routes)))
  const [applied] = await db.orm.select().from(appliedRouting)
  let changed = 0
  if (applied?.digest === digest) return { changed }
  let batch = await readFollowers(db, undefined)
  while (batch.length > 0 && !signal.aborted) {
    changed += await moveFollowers(db, batch, routes)
    batch = await readFollowers(db, batch.at(-1)?.name)
  }
  if (!signal.aborted)
    await db.orm
      .insert(appliedRouting)
      .values({ digest })
      .onConflictDoUpdate({ target: appliedRouting.one, set: { digest } })
  return { changed }
}

function readFollowers({ orm }: Database, after: Name | undefined): Promise<Follower[]> {
  return orm
    .select({ name: mcpRelease.name, integrity: mcpRelease.integrity, routing: mcpRelease.routing })
    .from(mcpName)
    .innerJoin(mcpRelease, and(eq(mcpRelease.name, mcpName.name), eq(mcpRelease.integrity, mcpName.current)))
    .where(
      and(
        eq(mcpName.source, 'published'),
        eq(mcpRelease.routingChosen, false),
        isNull(mcpName.retiredAt),
        after === undefined ? undefined : and(gt(mcpName.name, after), gt(mcpRelease.name, after)),
      ),
    )
    .orderBy(asc(mcpName.name))
    .limit(BATCH)
}

async function moveFollowers(
  db: Database,
  followers: readonly Follower[],
  routes: RoutingRules,
): Promise<number> {
  const moved = followers
    .map((follower) => ({ ...follower, to: routingFor(routes, toolNameOf(follower.name)) }))
    .filter(({ routing, to }) => routing !== to)
  if (moved.length === 0) return 0
  await db.orm.transaction(async (tx) => {
    for (const { name, integrity, routing, to } of moved) {
      const release = and(eq(mcpRelease.name, name), eq(mcpRelease.integrity, integrity))
      await tx
        .update(mcpName)
        .set({ current: integrity })
        .where(and(eq(mcpName.name, name), eq(mcpName.current, integrity)))
      await tx.update(mcpRelease).set({ routing: to }).where(release)
      await recordEvent(tx, system, { action: 'mcp.route', subject: name, detail: { from: routing, to } })
    }
  })
  return moved.length
}
