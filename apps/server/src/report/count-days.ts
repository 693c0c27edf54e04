import type { ApprovalReport } from '@pml/core/schemas'
import type { Snapshot } from '../changes/snapshot.ts'

type Day = ApprovalReport['days'][number]

interface Row {
  readonly day: string
  /** Null in rows that count blocked changes. */
  readonly specialist: string | null
  readonly blocked: number
  readonly approved: number
  readonly rejected: number
}

/**
 * Counts blocks and decisions per day. A decided change that is not rejected was approved, because an expired approval
 * leaves its change open again.
 */
export async function countDays({ sql, since }: Snapshot): Promise<Day[]> {
  const rows = await sql<Row[]>`
    select (decided_at at time zone 'UTC')::date::text as day, coalesce(specialist, decided_by, 'unknown') as specialist,
           0 as blocked, count(*) filter (where status <> 'rejected')::int as approved,
           count(*) filter (where status = 'rejected')::int as rejected
    from change where decided_at >= ${since} group by 1, 2
    union all
    select (blocked_at at time zone 'UTC')::date::text, null, count(*)::int, 0, 0
    from change where blocked_at >= ${since} group by 1
    order by day, specialist`
  const days = new Map<string, Row[]>()
  for (const row of rows) days.set(row.day, [...(days.get(row.day) ?? []), row])
  return Array.from(days, ([day, parts]) => ({
    day,
    ...sumOf(parts),
    specialists: parts.flatMap(({ specialist, approved, rejected }) =>
      specialist === null ? [] : [{ specialist, approved, rejected }],
    ),
  }))
}

export function sumOf(parts: readonly Pick<Day, 'blocked' | 'approved' | 'rejected'>[]) {
  const sum = { blocked: 0, approved: 0, rejected: 0 }
  for (const part of parts) {
    sum.blocked += part.blocked
    sum.approved += part.approved
    sum.rejected += part.rejected
  }
  return sum
}
