import { PmlError } from '@pml/core'
import type { Spent } from '@pml/core/schemas'
import type { Database } from '../../db/connect.ts'
import type { Attempt } from '../tell-refused.ts'

interface Use {
  readonly id: string
  readonly coverage: number
  readonly revision: number
}

/** Content that a pattern lets through, counted. Only while the patterns are those that were looked at. */
export async function usePattern(
  { db: { sql } }: { db: Pick<Database, 'sql'> },
  { keyId, contentHash, path, agent, session }: Attempt,
  { id, coverage, revision }: Use,
): Promise<Spent> {
  const detail = JSON.stringify({ path, contentHash, coverage, agent, session })
  const [row] = await sql<{ specialist: string | null }[]>`
    with used as (
      update pattern set usage_count = usage_count + 1, last_used_at = clock_timestamp()
      where id = ${id} and removed_at is null
        and exists (select from pattern_revision where revision = ${revision})
      returning specialist
    ), told as (
      insert into audit_event (actor, action, subject, detail)
      select ${keyId}, 'pattern.use', ${id}, ${detail}::jsonb from used
    )
    select specialist from used`
  if (!row)
    throw new PmlError('not_approved', 'Cannot let it pass: the patterns changed at this moment; try again')
  return { approved: true, via: 'pattern', changeId: null, pattern: id, specialist: row.specialist }
}
