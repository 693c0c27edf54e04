import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, MOST_FLAGS, readEvidence, shown, times, type Found } from './evidence.ts'

interface Row extends Found {
  readonly key: string
  /** The key's specialist. */
  readonly specialist: string | null
  /** The other names that it gave. */
  readonly names: string[] | null
}

/** Finds refused attempts of askers to approve their own change; each one is serious. */
export async function findSelfApprovals(snapshot: Snapshot): Promise<Flag[]> {
  const rows = await readAttempts(snapshot, 'change.self_approval')
  return rows.map(({ key, specialist, count, evidence }) => ({
    flag: 'self_approval',
    severity: 'serious',
    whoKind: 'key',
    who: key,
    sentence: `${nameOf(key, specialist)} tried ${times(count)} to approve a change that it, its agent or its session asked for`,
    count,
    evidence: readEvidence(evidence),
  }))
}

/** Finds decisions that a key signed with another specialist's name. */
export async function findWrongNames(snapshot: Snapshot): Promise<Flag[]> {
  const rows = await readAttempts(snapshot, 'change.approver_mismatch')
  return rows.map(({ key, specialist, names, count, evidence }) => ({
    flag: 'wrong_name',
    severity: 'warning',
    whoKind: 'key',
    who: key,
    sentence: `${nameOf(key, specialist)} tried ${times(count)} to decide under another name${inBrackets(names)}`,
    count,
    evidence: readEvidence(evidence),
  }))
}

function readAttempts({ sql, since }: Snapshot, action: string): Promise<Row[]> {
  return sql<Row[]>`
    with attempt as (
      select id, at, actor, detail, row_number() over (partition by actor order by id desc) as place
      from audit_event where action = ${action} and at >= ${since}
    )
    select actor as key, count(*)::int as count, ${evidenceOf(sql, 'eventId')} as evidence,
           (array_agg(detail ->> 'specialist' order by id desc))[1] as specialist,
           (array_agg(distinct detail ->> 'approver') filter (where detail ->> 'approver' is not null))[:3] as names
    from attempt group by actor order by count(*) desc, actor limit ${MOST_FLAGS}`
}

function nameOf(key: string, specialist: string | null): string {
  return specialist === null ? `The key ${key}` : `${shown(specialist)} (key ${key})`
}

function inBrackets(names: readonly string[] | null): string {
  return names === null ? '' : ` (${names.map(shown).join(', ')})`
}
