import { PmlError, type Integrity } from '@pml/core'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { change } from '../db/schema.ts'

/** The id of the newest change for a file, for those who know the file and not the id; without a hash, of those that are open. */
export async function findOpenChange(
  { orm }: Pick<Database, 'orm'>,
  { path, contentHash }: { path: string; contentHash?: string | undefined },
): Promise<string> {
  const isMeant =
    contentHash === undefined
      ? inArray(change.status, ['blocked', 'approved'])
      : eq(change.contentHash, contentHash as Integrity)
  const [row] = await orm
    .select({ id: change.id })
    .from(change)
    .where(and(eq(change.path, path), isMeant))
    .orderBy(desc(change.blockedAt))
    .limit(1)
  if (row) return row.id
  const what = contentHash === undefined ? '' : ` with content ${contentHash}`
  throw new PmlError(
    'not_found',
    `There is no blocked change for ${path}${what}; approval_list shows those there are`,
  )
}
