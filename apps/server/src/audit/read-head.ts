import { genesis, type AuditCheckpoint, type AuditHead } from '@pml/core/audit'
import type { AuditHeadAnswer } from '@pml/core/schemas'
import { count, desc } from 'drizzle-orm'
import type { Database, Orm } from '../db/connect.ts'
import { auditCheckpoint, auditLink, auditPending } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'

type Reading = Pick<Orm, 'select'>

/** For someone to write down: with it, nobody can cut or rewrite the log unseen. */
export async function showHead({ orm }: Database, actor: Actor): Promise<AuditHeadAnswer> {
  requireScope(actor, 'approve')
  const [row] = await orm.select({ pending: count() }).from(auditPending)
  return { ...(await readHead(orm)), pending: row?.pending ?? 0 }
}

/** Where the next link goes on from. */
export async function readHead(orm: Reading): Promise<AuditHead> {
  const { seq, hash } = auditLink
  const [link] = await orm.select({ seq, hash }).from(auditLink).orderBy(desc(seq)).limit(1)
  if (link) return link
  const checkpoint = await readCheckpoint(orm)
  return checkpoint ? { seq: checkpoint.seq, hash: checkpoint.hash } : genesis
}

/** Where the log begins, if older events were removed. */
export async function readCheckpoint(orm: Reading): Promise<AuditCheckpoint | null> {
  const [row] = await orm.select().from(auditCheckpoint).orderBy(desc(auditCheckpoint.seq)).limit(1)
  return row ? { seq: row.seq, hash: row.hash, at: row.at.toISOString() } : null
}
