import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, many, MOST_FLAGS, readEvidence, shown, type Found } from './evidence.ts'

/** Two can be honest attempts to satisfy the reviewer; three look like asking until it is approved. */
const REJECTIONS = 3
/** The longest lifetime of an approval. */
const WITHIN = '1 day'

interface Row extends Found {
  readonly kind: 'agent' | 'session'
  readonly who: string
  readonly path: string
  readonly rejections: number
}

/** Finds agents and sessions that asked for one path until it was approved. */
export async function findManyRejections({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<Row[]>`
    with suspect as (
      select path from change
      where decided_at >= ${since}::timestamptz - ${WITHIN}::interval and status = 'rejected'
      group by path having count(*) >= ${REJECTIONS}
    ), decided as (
      select distinct c.id, c.path, c.status, c.decided_at as at, asker.kind, asker.who
      from change c
      join change_request r on r.change_id = c.id
      cross join lateral (values ('agent', r.agent), ('session', r.session)) as asker (kind, who)
      where c.path in (select path from suspect)
        and c.decided_at >= ${since}::timestamptz - ${WITHIN}::interval and asker.who <> ''
    ), counted as (
      select *, count(*) filter (where status = 'rejected') over before as rejections
      from decided
      window before as (
        partition by kind, who, path order by at range between ${WITHIN}::interval preceding and current row
      )
    ), approval as (
      -- Counts by agent if it is known, so that an approval is reported once.
      select distinct on (id) * from counted
      where status <> 'rejected' and rejections >= ${REJECTIONS} and at >= ${since}
      order by id, kind
    ), involved as (
      select distinct d.kind, d.who, d.path, d.id, d.at, d.status
      from approval a join decided d using (kind, who, path)
      where d.id = a.id or d.status = 'rejected' and d.at between a.at - ${WITHIN}::interval and a.at
    ), ranked as (
      select *, row_number() over (partition by kind, who, path order by at desc, id desc) as place from involved
    )
    select kind, who, path, ${evidenceOf(sql, 'changeId')} as evidence,
           count(*) filter (where status <> 'rejected')::int as count,
           count(*) filter (where status = 'rejected')::int as rejections
    from ranked group by kind, who, path order by max(at) desc limit ${MOST_FLAGS}`
  return rows.map(flagOf)
}

function flagOf({ kind, who, path, count, rejections, evidence }: Row): Flag {
  return {
    flag: 'many_rejections',
    severity: 'warning',
    whoKind: kind,
    who,
    sentence: `The ${kind} ${shown(who)} had ${many(rejections, 'rejection')} for ${shown(path)} and then ${many(count, 'approval')} within a day`,
    count,
    evidence: readEvidence(evidence),
  }
}
