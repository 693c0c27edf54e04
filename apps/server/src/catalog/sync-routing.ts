import { routingFor, toolNameOf, type RoutingRules } from '@pml/core'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { mcpName, mcpRelease } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

/** Published modules that never chose a routing follow the rules as they change. */
export async function syncRouting(db: Database, routes: RoutingRules): Promise<{ changed: number }> {
  const followers = await db.orm
    .select({ name: mcpRelease.name, integrity: mcpRelease.integrity, routing: mcpRelease.routing })
    .from(mcpName)
    .innerJoin(mcpRelease, and(eq(mcpRelease.name, mcpName.name), eq(mcpRelease.integrity, mcpName.current)))
    .where(
      and(eq(mcpName.source, 'published'), eq(mcpRelease.routingChosen, false), isNull(mcpName.retiredAt)),
    )
  const moved = followers
    .map((follower) => ({ ...follower, to: routingFor(routes, toolNameOf(follower.name)) }))
    .filter(({ routing, to }) => routing !== to)
  await db.orm.transaction(async (tx) => {
    for (const { name, integrity, routing, to } of moved) {
      await tx
        .update(mcpRelease)
        .set({ routing: to })
        .where(and(eq(mcpRelease.name, name), eq(mcpRelease.integrity, integrity)))
      await tx
        .update(mcpName)
        .set({ current: integrity })
        .where(and(eq(mcpName.name, name), eq(mcpName.current, integrity)))
      await recordEvent(tx, system, { action: 'mcp.route', subject: name, detail: { from: routing, to } })
    }
  })
  return { changed: moved.length }
}
