import type { JsonObject } from '@pml/core'
import type { AuditRow } from '@pml/core/audit'
import { and, asc, eq, gt, lte } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditEvent, auditLink } from '../db/schema.ts'

/** An event that is part of the hash chain. */
export interface SealedEvent extends AuditRow {
  readonly id: number
}

/** The page size, so that the log is never in memory whole. */
export const PAGE = 500

/** Returns the rows after a sequence number, in order. Sealed rows never change, so consecutive pages are consistent. */
export async function readRows(
  { orm }: Database,
  { after, until, limit = PAGE }: { after: number; until?: number; limit?: number },
): Promise<SealedEvent[]> {
  const { seq, prev, hash } = auditLink
  const { id, at, actor, action, subject, detail } = auditEvent
  const rows = await orm
    .select({ seq, id, at, actor, action, subject, detail, prev, hash })
    .from(auditLink)
    .innerJoin(auditEvent, eq(id, auditLink.eventId))
    .where(and(gt(seq, after), until === undefined ? undefined : lte(seq, until)))
    .orderBy(asc(seq))
    .limit(limit)
  return rows.map(printed)
}

/** Converts a row to the form that is hashed. */
export function printed<Row extends { at: Date; detail: object }>(row: Row) {
  return { ...row, at: row.at.toISOString(), detail: row.detail as JsonObject }
}
