import type { Spent } from '@pml/core/schemas'
import type { Sql, TransactionSql } from 'postgres'
import type { Database } from '../db/connect.ts'
import type { PatternVerdict } from './pattern-set.ts'

/** An attempt of a key to write content. */
interface Attempt {
  readonly keyId: string
  readonly contentHash: string
  readonly path: string
  readonly agent?: string | undefined
  readonly session?: string | undefined
}

interface Use {
  readonly id: string
  readonly coverage: number
  readonly revision: number
}

/**
 * Counts and records that a pattern allowed a write. Returns undefined if the patterns have changed since the revision,
 * or if the key added the pattern itself.
 */
export async function usePattern(
  sql: Sql | TransactionSql,
  { keyId, contentHash, path, agent, session }: Attempt,
  { id, coverage, revision }: Use,
): Promise<Spent | undefined> {
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
  return row && { approved: true, via: 'pattern', changeId: null, pattern: id, specialist: row.specialist }
}

export async function isOwnPattern(
  { sql }: Pick<Database, 'sql'>,
  { keyId }: Pick<Attempt, 'keyId'>,
  { approvedBy }: PatternVerdict,
): Promise<boolean> {
  const rows = await sql`select from pattern where id = ${approvedBy?.id ?? ''} and added_by = ${keyId}`
  return rows.length > 0
}
