import type { ShownChange } from '@pml/core/schemas'
import { countInvisible, showInvisible } from '@pml/core/show-invisible'
import { and, asc, desc, eq, ne } from 'drizzle-orm'
import { change, changeRequest } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import type { Approvals } from './approvals.ts'
import { unknownChange } from './decide-change.ts'
import { typeOfChange } from '../patterns/entitlement.ts'
import { summaryColumns, summaryOf } from './list-changes.ts'
import { readContent } from './read-content.ts'
import { shownStatus } from './shown-status.ts'

const MOST_EARLIER = 20
const MOST_REQUESTS = 100

/** Returns a change for review, with invisible characters in its content escaped. */
export async function showChange(
  { db: { orm }, config }: Pick<Approvals, 'db' | 'config'>,
  actor: Actor,
  id: string,
): Promise<ShownChange> {
  requireScope(actor, 'hook|approve')
  if (id.includes('\0')) throw unknownChange(id)
  const { education, suggestion, contentDroppedAt } = change
  const [row] = await orm
    .select({ ...summaryColumns, education, suggestion, contentDroppedAt })
    .from(change)
    .where(eq(change.id, id))
  if (!row) throw unknownChange(id)
  const content = await readContent(orm, id)
  const requests = await orm
    .select()
    .from(changeRequest)
    .where(eq(changeRequest.changeId, id))
    .orderBy(asc(changeRequest.at))
    .limit(MOST_REQUESTS)
  const earlier = await orm
    .select({ id: change.id, status: shownStatus, reason: change.reason, at: change.blockedAt })
    .from(change)
    .where(and(eq(change.contentHash, row.contentHash), ne(change.id, id)))
    .orderBy(desc(change.blockedAt))
    .limit(MOST_EARLIER)
  const type = typeOfChange(config(), row)
  return {
    ...summaryOf(row),
    education: row.education,
    suggestion: row.suggestion,
    content: showInvisible(content ?? ''),
    warnings: warningsFor(content, row),
    specialists: [...type.specialists],
    requests: requests.map(({ keyId, agent, session, at }) => ({
      key: keyId,
      agent: agent || null,
      session: session || null,
      at: at.toISOString(),
    })),
    earlier: earlier.map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() })),
  }
}

function warningsFor(
  content: string | undefined,
  { path, contentDroppedAt }: { path: string; contentDroppedAt: Date | null },
): string[] {
  const warnings: string[] = []
  const hidden = countInvisible(content ?? '')
  if (content === undefined)
    warnings.push(
      contentDroppedAt
        ? `Its content was dropped on ${contentDroppedAt.toISOString().slice(0, 10)}, after the retention time`
        : 'Its content was never sent: it was imported',
    )
  if (hidden > 0) warnings.push(`It has ${invisibleCount(hidden)}, written here as \\u{…}`)
  const carriageReturns = content?.match(/\r\n/g)?.length ?? 0
  if (carriageReturns > 0) warnings.push(`${carriageReturns} of its lines end with CRLF, the others with LF`)
  if (countInvisible(path) > 0)
    warnings.push(`Its path has ${invisibleCount(countInvisible(path))}: it is ${showInvisible(path)}`)
  return warnings
}

function invisibleCount(hidden: number): string {
  return `${hidden} ${hidden === 1 ? 'character' : 'characters'} that cannot be seen or that reorder the text`
}
