import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { pattern } from '../db/schema.ts'
import type { Actor } from '../keys/actor.ts'

/** Counts a rejection of content that a pattern approves; the pattern may be too wide. */
export async function noteOverturned(
  tx: Transaction,
  actor: Actor,
  { patternId, changeId }: { patternId: string; changeId: string },
): Promise<void> {
  await tx
    .update(pattern)
    .set({ overturned: sql`${pattern.overturned} + 1` })
    .where(eq(pattern.id, patternId))
  await recordEvent(tx, actor, { action: 'pattern.overturn', subject: patternId, detail: { changeId } })
}
