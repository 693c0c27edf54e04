import type { ApprovalReport } from '@pml/core/schemas'
import type { Snapshot } from '../changes/snapshot.ts'

type Measured = Pick<ApprovalReport, 'specialists' | 'timeToDecision'>

interface Row {
  /** Null in the row for all specialists. */
  readonly specialist: string | null
  readonly approved: number
  readonly rejected: number
  readonly measured: number
  readonly quantiles: readonly [number, number] | null
  readonly fastest: number | null
  readonly slowest: number | null
}

/** Measures how long decisions took, in total and per specialist, most decisions first. */
export async function measureDecisions({ sql, since }: Snapshot): Promise<Measured> {
  const [all, ...rows] = await sql<Row[]>`
    with decision as (
      select coalesce(specialist, decided_by, 'unknown') as specialist, status,
             -- A change without an asker was imported, and decided elsewhere.
             case when exists (select from change_request r where r.change_id = c.id)
               then extract(epoch from decided_at - blocked_at)::float8 end as seconds
      from change c where decided_at >= ${since}
    )
    select specialist, count(*) filter (where status <> 'rejected')::int as approved,
           count(*) filter (where status = 'rejected')::int as rejected,
           percentile_cont(array[0.5, 0.9]) within group (order by seconds) as quantiles,
           min(seconds) as fastest, max(seconds) as slowest, count(seconds)::int as measured
    from decision group by grouping sets ((), (specialist))
    order by grouping(specialist) desc, count(*) desc, specialist`
  if (!all) throw new Error('unreachable: the empty grouping set returns a row')
  return { timeToDecision: timesOf(all), specialists: rows.map(specialistOf) }
}

function timesOf({ measured, quantiles, fastest, slowest }: Row): Measured['timeToDecision'] {
  const [median, p90] = quantiles ?? [null, null]
  return {
    count: measured,
    medianSeconds: median,
    p90Seconds: p90,
    fastestSeconds: fastest,
    slowestSeconds: slowest,
  }
}

function specialistOf({ specialist, approved, rejected, quantiles }: Row): Measured['specialists'][number] {
  const [medianSeconds, p90Seconds] = quantiles ?? [null, null]
  return { specialist: specialist ?? 'unknown', approved, rejected, medianSeconds, p90Seconds }
}
