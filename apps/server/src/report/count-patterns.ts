import type { ApprovalReport } from '@pml/core/schemas'
import { isoOf, type Snapshot } from '../changes/snapshot.ts'

const MOST_PATTERNS = 100

/** Returns the active patterns, most used first. */
export async function countPatterns({ sql }: Snapshot): Promise<ApprovalReport['patterns']> {
  const rows = await sql<ApprovalReport['patterns']>`
    select id, kind, type, pattern, usage_count::int as uses, overturned::int, last_used_at as "lastUsedAt",
           case when usage_count > 0 then 1 - least(1, overturned::float8 / usage_count) end as effectiveness
    from pattern where removed_at is null
    order by usage_count desc, added_at, id limit ${MOST_PATTERNS}`
  return rows.map(({ lastUsedAt, ...row }) => ({ ...row, lastUsedAt: lastUsedAt && isoOf(lastUsedAt) }))
}

/** Returns the patterns that the server disabled in this period, newest first. */
export async function listDisabledPatterns({
  sql,
  since,
}: Snapshot): Promise<ApprovalReport['disabledPatterns']> {
  const rows = await sql<ApprovalReport['disabledPatterns']>`
    select id, type, pattern, disabled_reason as reason, removed_at as "disabledAt"
    from pattern where disabled_reason is not null and removed_at >= ${since}
    order by removed_at desc, id limit ${MOST_PATTERNS}`
  return rows.map((row) => ({ ...row, disabledAt: isoOf(row.disabledAt) }))
}
