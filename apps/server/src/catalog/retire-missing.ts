import type { Name } from '@pml/core'
import { and, eq, isNull, notInArray, sql } from 'drizzle-orm'
import type { Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { mcpName, type Source } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

/** Retires the names that a source no longer contains. */
export async function retireMissing(
  tx: Transaction,
  source: Source,
  present: readonly Name[],
): Promise<number> {
  const missing = present.length > 0 ? notInArray(mcpName.name, [...present]) : undefined
  const retired = await tx
    .update(mcpName)
    .set({ retiredAt: sql`now()` })
    .where(and(eq(mcpName.source, source), isNull(mcpName.retiredAt), missing))
    .returning({ name: mcpName.name, current: mcpName.current })
  for (const { name, current } of retired) {
    await recordEvent(tx, system, { action: 'mcp.retire', subject: name, detail: { integrity: current } })
  }
  return retired.length
}
