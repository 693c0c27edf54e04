import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, getViewConfig, PgColumn, PgTable, PgView } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabase } from '../../test/database.ts'
import { migrationsDir } from '../../test/paths.ts'
import { connect, type Database } from './connect.ts'
import { migrate } from './migrate.ts'
import * as schema from './schema.ts'

let db: Database
let folder: string

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'pml-migrations-')), 'migrations')
  await cp(migrationsDir, folder, { recursive: true })
  db = connect(await createDatabase({ template: 'template0' }), { poolSize: 3 })
})
afterAll(async () => {
  await db.close()
  await rm(join(folder, '..'), { recursive: true })
})

describe('migrations', () => {
  it('are applied once, in order, by replicas that start together', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(db.sql, folder)))
    expect(applied.toSorted((a, b) => a.length - b.length)).toEqual([
      [],
      [],
      expect.arrayContaining(['0001_names_releases_and_blobs.sql']),
    ])
    expect(await migrate(db.sql, folder)).toEqual([])
  })

  it('are rolled back when one of them fails', async () => {
    const bad = join(folder, '9999_fails.sql')
    await writeFile(bad, 'create table half_done (id int);\nselect * from no_such_table;\n')
    await expect(migrate(db.sql, folder)).rejects.toThrow('no_such_table')
    await rm(bad)
    const [row] = await db.sql`select to_regclass('half_done') as found`
    expect(row?.['found']).toBeNull()
  })

  it('refuse a changed history, and one that is ahead of this version', async () => {
    const changed = join(folder, '9998_changes.sql')
    await writeFile(changed, 'select 1;\n')
    await migrate(db.sql, folder)
    await writeFile(changed, 'select 2;\n')
    await expect(migrate(db.sql, folder)).rejects.toThrow('9998_changes.sql was changed')
    await rm(changed)
    await expect(migrate(db.sql, folder)).rejects.toThrow('start a newer version')
  })
})

describe('the schema in code', () => {
  it('has the columns, types and nullability of the database', async () => {
    const rows = await db.sql<{ table: string; column: string; type: string; required: boolean }[]>`
      select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
             a.attnotnull or c.relkind = 'v' as required
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0 and c.relname <> 'migration'`
    const actual = rows
      .map(({ table, column, type, required }) => `${table}.${column} ${type} ${required}`)
      .toSorted()
    expect(described()).toEqual(actual)
  })
})

function described(): string[] {
  return Object.values(schema)
    .flatMap((entity) => {
      if (is(entity, PgTable)) return columnsOf(getTableConfig(entity).name, getTableColumns(entity))
      return is(entity, PgView)
        ? columnsOf(getViewConfig(entity).name, getViewConfig(entity).selectedFields)
        : []
    })
    .toSorted()
}

function columnsOf(owner: string, fields: Record<string, unknown>): string[] {
  return Object.values(fields).map((column) => {
    if (!is(column, PgColumn)) throw new Error(`${owner} has a field that is not a column`)
    // Drizzle puts a space before the precision, Postgres does not.
    const type = column.getSQLType().replace(' (', '(')
    return `${owner}.${column.name} ${type} ${column.notNull}`
  })
}
