import { PmlError } from '@pml/core'
import type { ShownPattern } from '@pml/core/schemas'
import { asc, eq, isNull } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { pattern } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'

export async function listPatterns(
  { orm }: Pick<Database, 'orm'>,
  actor: Actor,
): Promise<{ patterns: ShownPattern[] }> {
  requireScope(actor, 'hook|approve|pattern')
  const rows = await orm
    .select()
    .from(pattern)
    .where(isNull(pattern.removedAt))
    .orderBy(asc(pattern.addedAt), asc(pattern.id))
  return { patterns: rows.map(shown) }
}

export async function showPattern({ orm }: Pick<Database, 'orm'>, id: string): Promise<ShownPattern> {
  const [row] = await orm.select().from(pattern).where(eq(pattern.id, id))
  if (!row) throw unknownPattern(id)
  return shown(row)
}

export function unknownPattern(id: string): PmlError {
  return new PmlError(
    'not_found',
    `There is no pattern '${id.slice(0, 64)}'; pattern_list lists all patterns`,
  )
}

function shown(row: typeof pattern.$inferSelect): ShownPattern {
  const { id, kind, type, pattern: text, reason, example, specialist, addedBy, usageCount, overturned } = row
  return {
    id,
    kind,
    type,
    pattern: text,
    reason,
    example,
    specialist,
    addedBy,
    usageCount,
    overturned,
    addedAt: row.addedAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }
}
