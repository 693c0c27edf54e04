import { integrityOf } from '@pml/core'
import { notInArray, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { configFile } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

export interface AppliedConfig {
  /** The text of each file in force. */
  readonly texts: Readonly<Record<string, string>>
  /** How many entries each part of the configuration changed. */
  readonly changed: Readonly<Record<'std' | 'routing' | 'servers', number>>
}

/** Returns the last texts in force, by file name, for restarts without the files. */
export async function readKeptConfig({ orm }: Pick<Database, 'orm'>): Promise<ReadonlyMap<string, string>> {
  const rows = await orm.select({ name: configFile.name, text: configFile.text }).from(configFile)
  return new Map(rows.map(({ name, text }) => [name, text]))
}

/** Records the configuration if an entry changed or a file differs: rules may change without changing an entry. */
export async function recordConfig(
  { orm }: Pick<Database, 'orm'>,
  { texts, changed }: AppliedConfig,
): Promise<void> {
  await orm.transaction(async (tx) => {
    const before = await readKeptConfig({ orm: tx })
    const names = new Set([...before.keys(), ...Object.keys(texts)])
    const differing = [...names].filter((name) => before.get(name) !== texts[name]).toSorted()
    const hasChanged = Object.values(changed).some((count) => count > 0)
    if (!hasChanged && differing.length === 0) return
    const rows = Object.entries(texts).map(([name, text]) => ({ name, text }))
    if (rows.length > 0)
      await tx
        .insert(configFile)
        .values(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
        .onConflictDoUpdate({ target: configFile.name, set: { text: sql`excluded.text` } })
    await tx
      .delete(configFile)
      .where(rows.length === 0 ? undefined : notInArray(configFile.name, Object.keys(texts)))
    const files = Object.fromEntries(rows.map(({ name, text }) => [name, integrityOf(Buffer.from(text))]))
    await recordEvent(tx, system, {
      action: 'config.apply',
      subject: 'config',
      detail: { differing, changed, files },
    })
  })
}
