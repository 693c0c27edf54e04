import { genesis, type AuditCheckpoint, type AuditHead } from '@pml/core/audit'
import { desc } from 'drizzle-orm'
import type { Orm } from '../db/connect.ts'
import { auditCheckpoint, auditLink } from '../db/schema.ts'

type Reading = Pick<Orm, 'select'>

/** Returns the last link of the chain. */
export async function readHead(orm: Reading): Promise<AuditHead> {
  const { seq, hash } = auditLink
  const [link] = await orm.select({ seq, hash }).from(auditLink).orderBy(desc(seq)).limit(1)
  if (link) return link
  const checkpoint = await readCheckpoint(orm)
  return checkpoint ? { seq: checkpoint.seq, hash: checkpoint.hash } : genesis
}

/** Returns the start of the log, if older events were removed. */
export async function readCheckpoint(orm: Reading): Promise<AuditCheckpoint | null> {
  const [row] = await orm.select().from(auditCheckpoint).orderBy(desc(auditCheckpoint.seq)).limit(1)
  return row ? { seq: row.seq, hash: row.hash, at: row.at.toISOString() } : null
}
