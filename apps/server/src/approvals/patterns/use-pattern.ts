import { PmlError } from '@pml/core'
import type { Spent } from '@pml/core/schemas'
import type { Approvals } from '../approvals.ts'
import { tellOwn, type Attempt } from '../tell-refused.ts'

interface Use {
  readonly id: string
  readonly coverage: number
  readonly revision: number
}

/**
 * Content that a pattern lets through, counted. Only while the patterns are those that were looked at, and not for the
 * key that added it.
 */
export async function usePattern(
  approvals: Pick<Approvals, 'db' | 'guesses'>,
  attempt: Attempt,
  { id, coverage, revision }: Use,
): Promise<Spent> {
  const { sql } = approvals.db
  const { keyId, contentHash, path, agent, session } = attempt
  const detail = JSON.stringify({ path, contentHash, coverage, agent, session })
  const [row] = await sql<{ specialist: string | null }[]>`
    with used as (
      update pattern set usage_count = usage_count + 1, last_used_at = clock_timestamp()
      where id = ${id} and removed_at is null and added_by <> ${keyId}
        and exists (select from pattern_revision where revision = ${revision})
      returning specialist
    ), told as (
      insert into audit_event (actor, action, subject, detail)
      select ${keyId}, 'pattern.use', ${id}, ${detail}::jsonb from used
    )
    select specialist from used`
  const own = row ? [] : await sql`select from pattern where id = ${id} and added_by = ${keyId}`
  if (own.length > 0) throw await tellOwn(approvals, attempt)
  if (!row)
    throw new PmlError('not_approved', 'Cannot let it pass: the patterns changed at this moment; try again')
  return { approved: true, via: 'pattern', changeId: null, pattern: id, specialist: row.specialist }
}
