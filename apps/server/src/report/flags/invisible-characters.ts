import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, many, MOST_FLAGS, readEvidence, shown, type Found } from './evidence.ts'

interface Row extends Found {
  readonly kind: 'agent' | 'key'
  readonly who: string
  readonly approved: number
}

/** Finds changes with invisible characters, grouped by their first asker. */
export async function findInvisibleCharacters({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<Row[]>`
    with hidden as (
      select c.id, c.blocked_at as at, c.decided_at is not null and c.status <> 'rejected' as is_approved,
             case when first.agent = '' then 'key' else 'agent' end as kind,
             coalesce(nullif(first.agent, ''), first.key_id) as who
      from change c cross join lateral (
        select agent, key_id from change_request r where r.change_id = c.id order by r.at limit 1
      ) first
      where c.invisible > 0 and c.blocked_at >= ${since}
    ), ranked as (
      select *, row_number() over (partition by kind, who order by at desc, id desc) as place from hidden
    )
    select kind, who, count(*)::int as count, count(*) filter (where is_approved)::int as approved,
           ${evidenceOf(sql, 'changeId')} as evidence
    from ranked group by kind, who order by count(*) desc, who limit ${MOST_FLAGS}`
  return rows.map(flagOf)
}

/** The flag is serious if a change was approved. */
function flagOf({ kind, who, count, approved, evidence }: Row): Flag {
  return {
    flag: 'invisible_characters',
    severity: approved > 0 ? 'serious' : 'warning',
    whoKind: kind,
    who,
    sentence: `The ${kind} ${shown(who)} asked for ${many(count, 'change')} with invisible characters; ${approved} approved`,
    count,
    evidence: readEvidence(evidence),
  }
}
