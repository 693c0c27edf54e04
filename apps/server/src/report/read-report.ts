import type { ApprovalReport } from '@pml/core/schemas'
import { requireScope, type Actor } from '../keys/actor.ts'
import { findSuggestions } from './find-suggestions.ts'
import { findFlags } from './flags/find-flags.ts'
import type { SuggestionDeps } from './read-suggestions.ts'
import { countDays, sumOf } from './count-days.ts'
import { countReasons } from './count-reasons.ts'
import { countRules } from './count-rules.ts'
import { countPatterns, listDisabledPatterns } from './count-patterns.ts'
import { measureDecisions } from './measure-decisions.ts'
import { inSnapshot, type Snapshot } from '../changes/snapshot.ts'

/** Returns the report of the last days: what was blocked and decided, by whom, how fast and why, with flags. */
export function readReport(
  deps: SuggestionDeps,
  actor: Actor,
  { days }: { days: number },
): Promise<ApprovalReport> {
  requireScope(actor, 'approve')
  return inSnapshot(deps.db, days, async (snapshot) => {
    const perDay = await countDays(snapshot)
    return {
      since: snapshot.since,
      until: snapshot.until,
      totals: { ...sumOf(perDay), ...(await countStates(snapshot)) },
      days: perDay,
      ...(await measureDecisions(snapshot)),
      blockedByRule: await countRules(snapshot),
      rejectionReasons: await countReasons(snapshot),
      patterns: await countPatterns(snapshot),
      disabledPatterns: await listDisabledPatterns(snapshot),
      suggestions: await findSuggestions(snapshot, deps),
      flags: await findFlags(snapshot),
    }
  })
}

async function countStates({ sql, since }: Snapshot) {
  const [states] = await sql<Pick<ApprovalReport['totals'], 'used' | 'open' | 'expired'>[]>`
    select (select count(*)::int from change where used_at >= ${since}) as used,
           (select count(*)::int from change where status = 'blocked') as open,
           (select count(*)::int from change
            where status = 'approved' and expires_at <= now() and expires_at >= ${since}) as expired`
  if (!states) throw new Error('unreachable: a select without a table returns one row')
  return states
}
