import { generateKeyPairSync } from 'node:crypto'
import {
  createAuditFileVerifier,
  createLogSigner,
  type AuditHead,
  type AuditVerdict,
  type LogSigner,
} from '@pml/core/audit'
import { exportAudit } from '../src/audit/export-audit.ts'
import type { Database } from '../src/db/connect.ts'
import { recordEvent } from '../src/db/record-event.ts'
import { logKey } from '../src/db/schema.ts'
import type { Actor } from '../src/keys/actor.ts'

export const auditor: Actor = { id: 'auditor', scopes: ['approve', 'read:*'], specialist: 'Auditor' }
const writer: Actor = { id: 'writer', scopes: [], specialist: undefined }

/** Records an event in its own transaction. */
export function record(db: Database, subject: string, detail: Record<string, unknown> = {}): Promise<void> {
  return db.orm.transaction((tx) => recordEvent(tx, writer, { action: 'test.write', subject, detail }))
}

/** Stores a log key in a database without a registry. Records no event. */
export async function giveLogKey({ orm }: Database): Promise<LogSigner> {
  const signer = createLogSigner('registry.example.com', generateKeyPairSync('ed25519').privateKey)
  await orm.insert(logKey).values({ key: signer.key })
  return signer
}

export async function recordMany(db: Database, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await record(db, `event ${n}`)
}

export async function exportLines(db: Database, signer: LogSigner): Promise<string[]> {
  let text = ''
  for await (const part of await exportAudit(db, signer, auditor)) text += part
  return text.trimEnd().split('\n')
}

/** Verifies exported lines with the key, by default the one in the file. */
export function verifyLines(
  lines: readonly string[],
  expectedHead?: AuditHead,
  key = keyIn(lines),
): AuditVerdict {
  const verifier = createAuditFileVerifier({ expectedHead, key })
  for (const line of lines) verifier.line(line)
  return verifier.finish()
}

function keyIn([header = '{}']: readonly string[]): string | undefined {
  const { keys = [] } = JSON.parse(header) as { keys?: { key: string }[] }
  return keys.at(-1)?.key
}

/** Runs a statement as a database owner who has disabled the triggers. */
export async function tamper({ sql }: Database, statement: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx.unsafe(statement)
  })
}
