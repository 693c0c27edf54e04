import { PmlError, type Integrity } from '@pml/core'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { change } from '../db/schema.ts'

const MOST_LOOKED_AT = 100

interface Meant {
  readonly path: string
  /** Undefined if the file has open changes in one project only. */
  readonly project?: string | undefined
  readonly contentHash?: string | undefined
}

/** Returns the id of the newest change for a file; only open changes count if no hash is given. */
export async function findOpenChange(
  { orm }: Pick<Database, 'orm'>,
  { path, project, contentHash }: Meant,
): Promise<string> {
  const isMeant =
    contentHash === undefined
      ? inArray(change.status, ['blocked', 'approved'])
      : eq(change.contentHash, contentHash as Integrity)
  const rows = await orm
    .select({ id: change.id, project: change.project, status: change.status })
    .from(change)
    .where(
      and(eq(change.path, path), isMeant, project === undefined ? undefined : eq(change.project, project)),
    )
    .orderBy(desc(change.blockedAt))
    .limit(MOST_LOOKED_AT)
  const open = rows.filter(({ status }) => status === 'blocked' || status === 'approved')
  const projects = [...new Set(open.map((row) => row.project))]
  if (projects.length > 1) throw inSeveral(path, projects)
  const [newest] = open.length > 0 ? open : rows
  if (newest) return newest.id
  const what = contentHash === undefined ? '' : ` with content ${contentHash}`
  throw new PmlError(
    'not_found',
    `There is no blocked change for ${path}${what}; approval_list lists all changes`,
  )
}

function inSeveral(path: string, projects: readonly string[]): PmlError {
  const problem = `expected project to be one of ${projects.map((one) => JSON.stringify(one)).join(', ')}`
  return new PmlError(
    'invalid_arguments',
    `Cannot decide about ${path}: it waits in several projects; ${problem}`,
    {
      issues: [{ path: ['project'], message: problem }],
    },
  )
}
