import { showInvisible } from '@pml/core/show-invisible'
import type { Flag } from '@pml/core/schemas'
import type postgres from 'postgres'
import { isoOf } from '../../changes/snapshot.ts'

/** Evidence per flag; the audit log has the rest. */
export const MOST_EVIDENCE = 10
/** Flags per kind. */
export const MOST_FLAGS = 50
const LONGEST_SHOWN = 80

export type Evidence = Flag['evidence']

/** A piece of evidence as the database returns it. */
export interface Found {
  readonly count: number
  readonly evidence: Evidence
}

/** Collects rows that have `at`, `place` (1 is the newest of its flag) and this id. */
export function evidenceOf(
  sql: postgres.TransactionSql,
  id: 'changeId' | 'eventId',
): postgres.PendingQuery<postgres.Row[]> {
  return sql`
    jsonb_agg(jsonb_build_object(${id}::text, id, 'at', at) order by at desc, id desc)
      filter (where place <= ${MOST_EVIDENCE})`
}

export function readEvidence(evidence: Evidence): Evidence {
  return evidence.map(({ at, ...rest }) => ({ ...rest, at: isoOf(at) }))
}

/** Escapes and shortens an untrusted name or path for a sentence. */
export function shown(text: string): string {
  const seen = showInvisible(text)
  return seen.length <= LONGEST_SHOWN ? seen : `${seen.slice(0, LONGEST_SHOWN - 1)}…`
}

export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Prints a count with its noun: `1 approval`, `2 approvals`. */
export function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
