import { PmlError } from '@pml/core'
import { and, desc, eq } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { change } from '../db/schema.ts'

/** The id of the newest change for a file, for those who know the file and not the id. */
export async function findOpenChange(
  { orm }: Pick<Database, 'orm'>,
  { path, contentHash }: { path: string; contentHash?: string | undefined },
): Promise<string> {
  const isSame = contentHash === undefined ? undefined : eq(change.contentHash, contentHash as never)
  const [row] = await orm
    .select({ id: change.id })
    .from(change)
    .where(and(eq(change.path, path), isSame))
    .orderBy(desc(change.blockedAt))
    .limit(1)
  if (row) return row.id
  const what = contentHash === undefined ? '' : ` with content ${contentHash}`
  throw new PmlError(
    'not_found',
    `There is no blocked change for ${path}${what}; approval_list shows those there are`,
  )
}
