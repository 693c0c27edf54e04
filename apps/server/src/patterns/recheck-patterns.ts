import { PmlError } from '@pml/core'
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { pattern } from '../db/schema.ts'
import { system } from '../keys/actor.ts'
import { compilePattern } from './compile-pattern.ts'
import { requireNarrow } from './require-narrow.ts'

/** The version of the pattern rules; a migration sets it as the default for new rows. */
const RULES = 2

/**
 * Checks stored patterns against newer rules. Disables an approve pattern that breaks one, with an audit event and a
 * line in the report. Block patterns stay, because removing one would allow more.
 */
export async function recheckPatterns({ orm }: Pick<Database, 'orm'>, log: Logger): Promise<void> {
  await orm.transaction(async (tx) => {
    const rows = await tx
      .select()
      .from(pattern)
      .where(and(isNull(pattern.removedAt), lt(pattern.rules, RULES)))
      .for('update')
    for (const { id, kind, type, pattern: text } of rows) {
      const problem = kind === 'approve' ? findProblem(text) : undefined
      const disabled = { removedAt: sql`clock_timestamp()`, removedBy: system.id, disabledReason: problem }
      await tx
        .update(pattern)
        .set({ rules: RULES, ...(problem !== undefined && disabled) })
        .where(eq(pattern.id, id))
      if (problem === undefined) continue
      log.warn({ pattern: id, problem }, 'disabled an approve pattern that breaks a rule')
      const detail = { kind, type, pattern: text, reason: problem }
      await recordEvent(tx, system, { action: 'pattern.disable', subject: id, detail })
    }
  })
}

function findProblem(text: string): string | undefined {
  try {
    requireNarrow(compilePattern(text), 'approve')
    return undefined
  } catch (error) {
    if (error instanceof PmlError) return error.message
    throw error
  }
}
