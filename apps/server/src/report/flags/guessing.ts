import type { Flag } from '@pml/core/schemas'
import type { Snapshot } from '../../changes/snapshot.ts'
import { evidenceOf, many, MOST_FLAGS, readEvidence, times, type Found } from './evidence.ts'

/** Tokens are copied, not typed: one or two wrong ones are old, five are made up. */
const GUESSES = 5
/** Twice the lifetime of a token; attempts further apart are unrelated. */
const WITHIN = '10 minutes'

interface Row extends Found {
  readonly key: string
  readonly guesses: number
  readonly limited: number
}

/** Finds keys that guess tokens. */
export async function findGuessing({ sql, since }: Snapshot): Promise<Flag[]> {
  const rows = await sql<Row[]>`
    with guess as (
      select id, at, actor, action from audit_event
      where at >= ${since} and (action = 'change.guess_limited' or action = 'change.spend_refused'
        and detail ->> 'error' = 'not_approved' and detail -> 'hasToken' = 'true')
    ), spaced as (
      select *, lag(at, ${GUESSES - 1}) over (partition by actor, action order by at, id) as earlier from guess
    ), guesser as (
      select distinct actor from spaced
      where action = 'change.guess_limited' or earlier >= at - ${WITHIN}::interval
    ), ranked as (
      select *, row_number() over (partition by actor order by at desc, id desc) as place
      from guess where actor in (select actor from guesser)
    )
    select actor as key, count(*)::int as count, ${evidenceOf(sql, 'eventId')} as evidence,
           count(*) filter (where action = 'change.spend_refused')::int as guesses,
           count(*) filter (where action = 'change.guess_limited')::int as limited
    from ranked group by actor order by count(*) desc, actor limit ${MOST_FLAGS}`
  return rows.map(flagOf)
}

function flagOf({ key, guesses, limited, count, evidence }: Row): Flag {
  const slowed = limited === 0 ? '' : ` and was rate-limited ${times(limited)}`
  return {
    flag: 'guessing',
    severity: 'serious',
    whoKind: 'key',
    who: key,
    sentence: `The key ${key} tried ${many(guesses, 'token')} that were never issued${slowed}`,
    count,
    evidence: readEvidence(evidence),
  }
}
