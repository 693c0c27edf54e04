import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { Sql, TransactionSql } from 'postgres'

interface Migration {
  readonly name: string
  readonly checksum: string
  readonly sql: string
}

/** An arbitrary constant that no other program uses on the same database. */
const ADVISORY_LOCK = 7_011_220_526

/** Applies the missing migrations in one transaction. Replicas that start together take turns. */
export async function migrate(sql: Sql, folder: string): Promise<readonly string[]> {
  const known = await readMigrations(folder)
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
    const applied = await readApplied(tx)
    requireSameHistory(known, applied)
    const missing = known.filter(({ name }) => !applied.has(name))
    for (const { name, checksum, sql: text } of missing) {
      await tx.unsafe(text)
      await tx`insert into migration (name, checksum) values (${name}, ${checksum})`
    }
    return missing.map(({ name }) => name)
  })
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8')
      return { name: file, sql: text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function readApplied(tx: TransactionSql): Promise<Map<string, string>> {
  await tx`create table if not exists migration (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`
  const rows = await tx<{ name: string; checksum: string }[]>`select name, checksum from migration`
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Throws if an applied migration was changed or is unknown to this version. */
function requireSameHistory(known: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const checksums = new Map(known.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    const found = checksums.get(name)
    if (found === undefined) {
      throw new PmlError(
        'invalid_config',
        `Cannot use the database: it has migration ${name}, which this version lacks; start a newer version`,
      )
    }
    if (found !== checksum) {
      throw new PmlError(
        'invalid_config',
        `Cannot use the database: migration ${name} was changed after it was applied; restore the file`,
      )
    }
  }
}
