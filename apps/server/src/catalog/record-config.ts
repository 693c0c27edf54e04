import type { Integrity } from '@pml/core'
import { desc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { auditEvent } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

export interface AppliedConfig {
  readonly files: Readonly<Record<string, Integrity>>
  /** How many entries each part of the configuration changed. */
  readonly changed: Readonly<Record<'std' | 'routing' | 'servers', number>>
}

const ACTION = 'config.apply'

/** Rules may change without an entry that changes with them, so files that differ from the last ones count too. */
export async function recordConfig({ orm }: Database, { files, changed }: AppliedConfig): Promise<void> {
  await orm.transaction(async (tx) => {
    const before = await lastFiles(tx)
    const names = new Set([...Object.keys(before), ...Object.keys(files)])
    const differing = [...names].filter((name) => before[name] !== files[name]).toSorted()
    const hasChanged = Object.values(changed).some((count) => count > 0)
    if (!hasChanged && differing.length === 0) return
    await recordEvent(tx, system, {
      action: ACTION,
      subject: 'config',
      detail: { differing, changed, files },
    })
  })
}

async function lastFiles(tx: Transaction): Promise<AppliedConfig['files']> {
  const [row] = await tx
    .select({ detail: auditEvent.detail })
    .from(auditEvent)
    .where(eq(auditEvent.action, ACTION))
    .orderBy(desc(auditEvent.id))
    .limit(1)
  return (row?.detail['files'] ?? {}) as AppliedConfig['files']
}
