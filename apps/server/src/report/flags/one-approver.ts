import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, MOST_FLAGS, readEvidence, shown, type Found } from './evidence.ts'

/** Fewer often come from one reviewer by chance. */
const APPROVALS = 5

interface Row extends Found {
  readonly agent: string
  readonly key: string
  readonly specialist: string | null
}

/** Finds agents whose approvals all came from one key, although other keys approve too. */
export async function findOneApprover({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<Row[]>`
    with approval as (
      select distinct r.agent, c.id, c.decided_by, c.specialist, c.decided_at as at
      from change c join change_request r on r.change_id = c.id
      where c.decided_at >= ${since} and c.status <> 'rejected' and r.agent <> ''
    ), ranked as (
      select *, row_number() over (partition by agent order by at desc, id desc) as place from approval
    ), faithful as (
      select agent, min(decided_by) as key, min(specialist) as specialist, count(*)::int as count,
             ${evidenceOf(sql, 'changeId')} as evidence
      from ranked group by agent
      having count(*) >= ${APPROVALS} and min(decided_by) = max(decided_by)
    )
    select * from faithful f
    where exists (
      select from api_key k
      where k.id <> f.key and 'approve' = any (k.scopes) and k.revoked_at is null
        and coalesce(k.expires_at > now(), true)
    )
    order by count desc, agent limit ${MOST_FLAGS}`
  return rows.map(flagOf)
}

/** The flag is for information only: the configuration may leave all of an agent's work to one specialist. */
function flagOf({ agent, key, specialist, count, evidence }: Row): Flag {
  return {
    flag: 'one_approver',
    severity: 'info',
    whoKind: 'agent',
    who: agent,
    sentence: `All ${count} approvals of the agent ${shown(agent)} came from ${shown(specialist ?? 'nobody')} (key ${key}), although other keys may approve too`,
    count,
    evidence: readEvidence(evidence),
  }
}
