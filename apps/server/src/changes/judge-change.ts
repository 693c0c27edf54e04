import { eq } from 'drizzle-orm'
import { change } from '../db/schema.ts'
import type { Approvals } from './approvals.ts'
import { unknownChange } from './decide-change.ts'
import { patternTypeOf, typeOfChange } from '../patterns/entitlement.ts'
import type { PatternVerdict } from '../patterns/pattern-set.ts'
import { readContent } from './read-content.ts'

interface Judged {
  /** Undefined if only the hash is known, as after an import. */
  readonly content: string | undefined
  readonly verdict: PatternVerdict
}

/** Matches a change against the patterns. Runs before the row is locked, because it may be slow and content never changes. */
export async function judgeChange(
  { db: { orm }, patterns, config }: Pick<Approvals, 'db' | 'patterns' | 'config'>,
  id: string,
): Promise<Judged> {
  if (id.includes('\0')) throw unknownChange(id)
  const { type, path } = change
  const [row] = await orm.select({ type, path }).from(change).where(eq(change.id, id))
  const content = row && (await readContent(orm, id))
  if (!row || content === undefined) return { content: undefined, verdict: {} }
  const current = await patterns.current()
  return { content, verdict: await current.find(content, patternTypeOf(typeOfChange(config(), row))) }
}
