import type { NewRejection, Rejected } from '@pml/core/schemas'
import { eq, sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import { change } from '../db/schema.ts'
import type { Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { alreadyDecided, decideChange } from './decide-change.ts'
import { noteOverturned } from './patterns/note-overturned.ts'
import { readContent } from './read-content.ts'

/** A no, with what the agent should learn from it. A token that was given for the change is dead at once. */
export async function rejectChange(
  approvals: Approvals,
  actor: Actor,
  { id, wish }: { id: string; wish: NewRejection },
): Promise<Rejected> {
  const { reason, education, suggestion = null, ...decider } = wish
  const patterns = await approvals.patterns.current()
  return decideChange(approvals, actor, {
    id,
    decider,
    mayBeAsker: true,
    decide: async (tx, found) => {
      if (found.status === 'rejected' || found.status === 'used') throw alreadyDecided(found, 'reject')
      const { path, type, contentHash, specialist } = found
      await tx
        .update(change)
        .set({
          status: 'rejected',
          decidedAt: sql`clock_timestamp()`,
          decidedBy: actor.id,
          specialist,
          reason,
          education,
          suggestion,
        })
        .where(eq(change.id, id))
      await recordEvent(tx, actor, {
        action: 'change.reject',
        subject: id,
        detail: { path, contentHash, type, specialist, reason },
      })
      const { approvedBy } = await patterns.find((await readContent(tx, id)) ?? '', type)
      if (approvedBy) await noteOverturned(tx, actor, { patternId: approvedBy.id, changeId: id })
      return { id, decision: 'rejected' as const, education, suggestion }
    },
  })
}
