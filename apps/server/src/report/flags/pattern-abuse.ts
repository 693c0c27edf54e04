import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import {
  evidenceOf,
  MOST_EVIDENCE,
  MOST_FLAGS,
  readEvidence,
  shown,
  type Evidence,
  type Found,
} from './evidence.ts'

/** Normal work uses a pattern now and then; a loop uses it constantly. */
const USES_IN_A_ROW = 20
/** About the length of one task. */
const IN_A_ROW_WITHIN = '1 hour'
/** A single one may be the specialist's mistake. */
const OVERTURNED = 2
/** A pattern that is wrong more than once in five uses should go. */
const OVERTURNED_SHARE = 0.2
/** Below one half, the pattern did not match most of the content. */
const THIN_COVERAGE = 0.5
/** One or two uses may be one unusual file. */
const THIN_USES = 3

interface Used extends Found {
  readonly id: string
  readonly pattern: string | null
  readonly owner: string | null
}

/** Finds agents, sessions and keys that use one pattern again and again. */
export async function findWornPatterns({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<(Used & { kind: 'agent' | 'session' | 'key'; who: string; most: number })[]>`
    with use as (
      select id, at, subject, coalesce(detail ->> 'agent', detail ->> 'session', actor) as who,
             case when detail ? 'agent' then 'agent' when detail ? 'session' then 'session' else 'key' end as kind
      from audit_event where action = 'pattern.use' and at >= ${since}
    ), counted as (
      select *, row_number() over (partition by subject, kind, who order by at desc, id desc) as place,
             count(*) over (partition by subject, kind, who order by at
                            range between ${IN_A_ROW_WITHIN}::interval preceding and current row) as near
      from use
    ), worn as (
      select subject, kind, who, max(near)::int as most, count(*)::int as count,
             ${evidenceOf(sql, 'eventId')} as evidence
      from counted group by subject, kind, who having max(near) >= ${USES_IN_A_ROW}
    )
    select w.subject as id, p.pattern, w.kind, w.who, w.most, w.count, w.evidence
    from worn w left join pattern p on p.id = w.subject
    order by most desc, who limit ${MOST_FLAGS}`
  return rows.map(({ kind, who, most, ...used }) => ({
    ...flagOf(used, 'warning'),
    whoKind: kind,
    who,
    sentence: `The ${kind} ${shown(who)} used the pattern ${nameOf(used)} ${most} times within an hour`,
  }))
}

/** Finds active patterns that specialists overturn too often. */
export async function findOverturnedPatterns({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<(Used & { uses: number })[]>`
    select p.id, p.pattern, coalesce(p.specialist, p.added_by) as owner, p.usage_count::int as uses,
           p.overturned::int as count, coalesce(e.evidence, jsonb_build_array(
             jsonb_build_object('at', coalesce(p.last_used_at, p.added_at)))) as evidence
    from pattern p left join lateral (
      select jsonb_agg(jsonb_build_object('eventId', id, 'changeId', detail -> 'changeId', 'at', at) order by id desc)
               as evidence
      from (select id, detail, at from audit_event
            where subject = p.id and action = 'pattern.overturn' and at >= ${since}
            order by id desc limit ${MOST_EVIDENCE}) newest
    ) e on true
    where p.removed_at is null and p.overturned >= ${OVERTURNED}
      and p.overturned > p.usage_count * ${OVERTURNED_SHARE}::numeric
    order by p.overturned desc, p.id limit ${MOST_FLAGS}`
  return rows.map(({ uses, ...used }) => ({
    ...flagOf(used, 'serious'),
    sentence: `Specialists overturned the pattern ${nameOf(used)} in ${used.count} of ${uses} uses`,
  }))
}

/** Finds patterns that approved content of which they matched only a small part. */
export async function findThinPatterns({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<(Used & { least: number })[]>`
    with thin as (
      select id, at, subject, (detail ->> 'coverage')::float8 as coverage,
             row_number() over (partition by subject order by id desc) as place
      from audit_event
      where action = 'pattern.use' and at >= ${since} and (detail ->> 'coverage')::float8 < ${THIN_COVERAGE}
    ), grouped as (
      select subject, min(coverage) as least, count(*)::int as count, ${evidenceOf(sql, 'eventId')} as evidence
      from thin group by subject having count(*) >= ${THIN_USES}
    )
    select g.subject as id, p.pattern, coalesce(p.specialist, p.added_by) as owner, least, count, evidence
    from grouped g left join pattern p on p.id = g.subject
    order by count desc, g.subject limit ${MOST_FLAGS}`
  return rows.map(({ least, ...used }) => ({
    ...flagOf(used, 'warning'),
    sentence: `The pattern ${nameOf(used)} approved ${used.count} contents of which it matched less than half, at worst only ${Math.floor(least * 100)} %`,
  }))
}

function flagOf({ id, owner, count, evidence }: Used, severity: Flag['severity']) {
  return {
    flag: 'pattern_abuse',
    severity,
    whoKind: 'specialist',
    who: owner ?? 'unknown',
    count,
    evidence: readEvidence(evidence).map((entry): Evidence[number] => ({ patternId: id, ...entry })),
  } as const
}

function nameOf({ id, pattern }: Used): string {
  return pattern === null ? id : `${id} (${shown(pattern)})`
}
