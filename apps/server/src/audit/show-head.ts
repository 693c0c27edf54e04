import { headText, type LogSigner } from '@pml/core/audit'
import type { AuditHeadAnswer } from '@pml/core/schemas'
import { count } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { auditPending } from '../db/schema.ts'
import { requireScope, type Actor } from '../keys/actor.ts'
import { requireCurrentKey } from './log-key.ts'
import { readHead } from './read-head.ts'

/** Returns the signed head of the log. A caller who keeps it can detect later truncation or rewriting. */
export async function showHead(
  { orm }: Pick<Database, 'orm'>,
  signer: LogSigner,
  actor: Actor,
): Promise<AuditHeadAnswer> {
  requireScope(actor, 'approve')
  await requireCurrentKey(orm, signer)
  const [row] = await orm.select({ pending: count() }).from(auditPending)
  const head = await readHead(orm)
  const signature = signer.sign(headText(signer.origin, head))
  return { ...head, pending: row?.pending ?? 0, key: signer.key, signature }
}
