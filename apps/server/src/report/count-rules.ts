import type { ApprovalReport } from '@pml/core/schemas'
import type { Snapshot } from '../changes/snapshot.ts'

const MOST_RULES = 50

/** Counts blocked calls per hook rule, as far back as the audit log goes; the most frequent rule comes first. */
export function countRules({ sql, since }: Snapshot): Promise<ApprovalReport['blockedByRule']> {
  return sql<ApprovalReport['blockedByRule']>`
    select detail->>'rule' as rule, count(*)::int as count,
           array_agg(distinct detail->>'agent' order by detail->>'agent') as agents
    from audit_event where action = 'hook.blocked' and at >= ${since}
    group by 1 order by count(*) desc, 1 limit ${MOST_RULES}`
}
