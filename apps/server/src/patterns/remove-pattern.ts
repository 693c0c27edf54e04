import { and, eq, isNull, sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import { pattern } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { lockPatterns, type PatternParts } from './add-pattern.ts'
import { unknownPattern } from './list-patterns.ts'
import { requireNoAsker } from './require-no-asker.ts'

/** Removes a pattern; the audit log keeps its text. */
export async function removePattern(
  { db: { orm }, config }: PatternParts,
  actor: Actor,
  id: string,
): Promise<{ id: string }> {
  requireScope(actor, 'pattern')
  if (id.includes('\0')) throw unknownPattern(id)
  return orm.transaction(async (tx) => {
    await lockPatterns(tx)
    const [row] = await tx
      .update(pattern)
      .set({ removedAt: sql`clock_timestamp()`, removedBy: actor.id })
      .where(and(eq(pattern.id, id), isNull(pattern.removedAt)))
      .returning()
    if (!row) throw unknownPattern(id)
    const { kind, type, pattern: text, reason } = row
    if (kind === 'block') await requireNoAsker(tx, actor, config().operators)
    await recordEvent(tx, actor, {
      action: 'pattern.remove',
      subject: id,
      detail: { kind, type, pattern: text, reason },
    })
    return { id }
  })
}
