import { eq } from 'drizzle-orm'
import { change } from '../db/schema.ts'
import type { Approvals } from './approvals.ts'
import type { PatternVerdict } from './patterns/pattern-set.ts'
import { readContent } from './read-content.ts'

export interface Judged {
  /** Undefined where only the hash is known, as of an import. */
  readonly content: string | undefined
  readonly verdict: PatternVerdict
}

/** What the patterns say about a change. Asked before its row is locked: it may take a while, and content never changes. */
export async function judgeChange(
  { db: { orm }, patterns }: Pick<Approvals, 'db' | 'patterns'>,
  id: string,
): Promise<Judged> {
  const [row] = await orm.select({ type: change.type }).from(change).where(eq(change.id, id))
  const content = row && (await readContent(orm, id))
  if (!row || content === undefined) return { content: undefined, verdict: {} }
  return { content, verdict: await (await patterns.current()).find(content, row.type) }
}
