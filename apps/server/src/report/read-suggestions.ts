import type { SuggestionList } from '@pml/core/schemas'
import type { Database } from '../db/connect.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { findSuggestions, type Promotion } from './find-suggestions.ts'
import { inSnapshot } from '../changes/snapshot.ts'

export interface SuggestionDeps extends Promotion {
  readonly db: Database
}

/** Returns patterns that past approvals suggest. None is added automatically. */
export function readSuggestions(deps: SuggestionDeps, actor: Actor): Promise<SuggestionList> {
  requireScope(actor, 'approve')
  return inSnapshot(deps.db, 0, async (snapshot) => ({ suggestions: await findSuggestions(snapshot, deps) }))
}
