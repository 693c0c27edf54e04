import type { ApprovalReport } from '@pml/core/schemas'
import type { Snapshot } from '../changes/snapshot.ts'

const MOST_REASONS = 20
const MOST_EXAMPLES = 5
/** Longer reasons are cut; the change has the whole text. */
const LONGEST_REASON = 300

/** Counts rejection reasons, ignoring case and outer spaces; shows the latest spelling. */
export function countReasons({ sql, since }: Snapshot): Promise<ApprovalReport['rejectionReasons']> {
  return sql<ApprovalReport['rejectionReasons']>`
    with rejection as (
      select id, decided_at, left(btrim(reason, E' \t\r\n'), ${LONGEST_REASON}) as reason
      from change where decided_at >= ${since} and status = 'rejected' and reason is not null
    )
    select (array_agg(reason order by decided_at desc, id))[1] as reason, count(*)::int as count,
           (array_agg(id order by decided_at desc, id))[:${MOST_EXAMPLES}::int] as "changeIds"
    from rejection where reason <> '' group by lower(reason)
    order by count(*) desc, max(decided_at) desc limit ${MOST_REASONS}`
}
