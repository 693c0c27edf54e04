import type { Name } from '@pml/core'
import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { mcpName } from '../db/schema.ts'
import { requirePublish, type Actor } from '../keys/actor.ts'
import { managedElsewhere, notFound, gone } from './refusals.ts'

/** Retires a name: it responds with `gone`, and its releases stay readable as blobs. */
export async function retire(
  { db, forget }: { db: Database; forget: (name: Name) => void },
  actor: Actor,
  name: Name,
): Promise<void> {
  requirePublish(actor, name)
  await db.orm.transaction(async (tx) => {
    const [row] = await tx.select().from(mcpName).where(eq(mcpName.name, name)).for('update')
    if (!row?.current) throw notFound(name)
    if (row.retiredAt) throw gone(name)
    if (row.source !== 'published') throw managedElsewhere(name, row.source)
    await tx
      .update(mcpName)
      .set({ retiredAt: sql`now()` })
      .where(eq(mcpName.name, name))
    await recordEvent(tx, actor, { action: 'mcp.retire', subject: name, detail: { integrity: row.current } })
  })
  forget(name)
}
