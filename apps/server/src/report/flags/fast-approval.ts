import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, many, MOST_FLAGS, readEvidence, shown, type Found } from './evidence.ts'

/** The least time to open a change, look at it and decide. */
const SHORTEST_LOOK_SECONDS = 3
/** About 500 words a minute: faster than most people read prose, and code takes longer. */
const READING_BYTES_PER_SECOND = 50
/** A reviewer of a large change may read only the important parts. */
const LONGEST_LOOK_SECONDS = 60
/** This many fast approvals, if at least half of all, are a habit. */
const HABIT = 5

interface Row extends Found {
  readonly who: string
  readonly approvals: number
  readonly fastest: number
}

/** Finds approvals given before a person could have read the change. */
export async function findFastApprovals({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<Row[]>`
    with approval as (
      select id, coalesce(specialist, decided_by, 'unknown') as who, decided_at as at,
             extract(epoch from decided_at - blocked_at) as seconds,
             greatest(${SHORTEST_LOOK_SECONDS}::numeric,
                      least(${LONGEST_LOOK_SECONDS}, size_bytes::numeric / ${READING_BYTES_PER_SECOND})) as needed
      from change c
      where decided_at >= ${since} and status <> 'rejected'
        -- A change without an asker was imported, and decided elsewhere.
        and exists (select from change_request r where r.change_id = c.id)
    ), ranked as (
      select *, seconds < needed as is_fast,
             case when seconds < needed then
               row_number() over (partition by who, seconds < needed order by at desc, id desc)
             end as place
      from approval
    )
    select who, count(*)::int as approvals, count(*) filter (where is_fast)::int as count,
           min(seconds)::float8 as fastest, ${evidenceOf(sql, 'changeId')} as evidence
    from ranked group by who having bool_or(is_fast)
    order by count(*) filter (where is_fast) desc, who limit ${MOST_FLAGS}`
  return rows.map(flagOf)
}

function flagOf({ who, approvals, count, fastest, evidence }: Row): Flag {
  const share = Math.round((100 * count) / approvals)
  return {
    flag: 'fast_approval',
    severity: count >= HABIT && count * 2 >= approvals ? 'serious' : 'warning',
    whoKind: 'specialist',
    who,
    sentence: `${shown(who)} decided ${count} of ${many(approvals, 'approval')} (${share} %) faster than a person can read, the fastest in ${fastest.toFixed(1)} s`,
    count,
    evidence: readEvidence(evidence),
  }
}
