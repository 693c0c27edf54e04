import type { NewRejection, Rejected } from '@pml/core/schemas'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { recordEvent } from '../db/record-event.ts'
import { change } from '../db/schema.ts'
import { requireSpecialist, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { alreadyDecided, decideChange } from './decide-change.ts'
import { judgeChange } from './judge-change.ts'
import { noteOverturned } from '../patterns/note-overturned.ts'

/** Rejects a change with a reason for the agent. Its token stops working immediately. */
export async function rejectChange(
  approvals: Approvals,
  actor: Actor,
  { id, request }: { id: string; request: NewRejection },
): Promise<Rejected> {
  const { reason, education, suggestion = null, ...decider } = request
  requireSpecialist(actor)
  const { verdict } = await judgeChange(approvals, id)
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
        .where(and(eq(change.id, id), inArray(change.status, ['blocked', 'approved'])))
      await recordEvent(tx, actor, {
        action: 'change.reject',
        subject: id,
        detail: {
          path,
          contentHash,
          type,
          specialist,
          reason,
          ...(decider.proof && { proof: decider.proof }),
        },
      })
      const { approvedBy } = verdict
      if (approvedBy) await noteOverturned(tx, actor, { patternId: approvedBy.id, changeId: id })
      return { id, decision: 'rejected' as const, education, suggestion }
    },
  })
}
