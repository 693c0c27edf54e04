import { createAuditFileVerifier, type AuditHead, type AuditVerdict } from '@pml/core/audit'
import { exportAudit } from '../src/audit/export-audit.ts'
import type { Database } from '../src/db/connect.ts'
import { recordEvent } from '../src/db/record-event.ts'
import type { Actor } from '../src/keys/actor.ts'

export const auditor: Actor = { id: 'auditor', scopes: ['approve'], specialist: 'Auditor' }
const writer: Actor = { id: 'writer', scopes: [], specialist: undefined }

/** An event in a transaction of its own. */
export function record(db: Database, subject: string, detail: Record<string, unknown> = {}): Promise<void> {
  return db.orm.transaction((tx) => recordEvent(tx, writer, { action: 'test.write', subject, detail }))
}

export async function recordMany(db: Database, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await record(db, `event ${n}`)
}

export async function exportLines(db: Database): Promise<string[]> {
  let text = ''
  for await (const part of await exportAudit(db, auditor)) text += part
  return text.trimEnd().split('\n')
}

/** With nothing but the text. */
export function verifyLines(lines: readonly string[], expectedHead?: AuditHead): AuditVerdict {
  const verifier = createAuditFileVerifier({ expectedHead })
  for (const line of lines) verifier.line(line)
  return verifier.finish()
}

/** What someone does who owns the database and turns its guards off. */
export async function tamper({ sql }: Database, statement: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx.unsafe(statement)
  })
}
