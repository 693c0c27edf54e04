import { integrityOf } from '@pml/core'
import { notInArray, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { configFile } from '../db/schema.ts'
import { system } from '../keys/actor.ts'

export interface AppliedConfig {
  /** The text of every file that is in force. */
  readonly texts: Readonly<Record<string, string>>
  /** How many entries each part of the configuration changed. */
  readonly changed: Readonly<Record<'std' | 'routing' | 'servers', number>>
}

/** The texts of the files that were in force last, by name: they outlive a restart without the files. */
export async function readKeptConfig({ orm }: Pick<Database, 'orm'>): Promise<ReadonlyMap<string, string>> {
  const rows = await orm.select({ name: configFile.name, text: configFile.text }).from(configFile)
  return new Map(rows.map(({ name, text }) => [name, text]))
}

/** Rules may change without an entry that changes with them, so files that differ from the last ones count too. */
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
