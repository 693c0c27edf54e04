import type { FlagList } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { findFlags } from './flags/find-flags.ts'
import { inSnapshot } from '../changes/snapshot.ts'

/** Returns the flags of the last days, with evidence. */
export function readFlags(db: Database, actor: Actor, { days }: { days: number }): Promise<FlagList> {
  requireScope(actor, 'approve')
  return inSnapshot(db, days, async (snapshot) => {
    const { since, until } = snapshot
    return { since, until, flags: await findFlags(snapshot) }
  })
}
