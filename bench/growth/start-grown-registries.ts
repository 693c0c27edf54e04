import { connect } from '@pml/server/db/connect'
import { startEmbeddedPostgres } from '@pml/server/db/embedded/start-embedded-postgres'
import { createLog } from '@pml/server/log'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { makeTempFolder } from '../temp-folder.ts'
import { seedEntries } from './seed-entries.ts'

/** A registry that started on a database that was already full. */
export interface GrownRegistry extends Registry {
  readonly fqdns: readonly string[]
}

/** One Postgres with a database for each size. */
export async function startGrownRegistries<Size extends number>(
  { stops, tell }: Bench,
  sizes: readonly Size[],
): Promise<Map<Size, GrownRegistry>> {
  const postgresUrl = await startPostgres({ stops })
  const registries = new Map<Size, GrownRegistry>()
  for (const size of sizes) {
    tell(`seeding ${size} entries`)
    const databaseUrl = await createDatabase(postgresUrl, `entries_${size}`)
    const fqdns = await seedEntries(databaseUrl, size)
    registries.set(size, { ...(await startRegistry(stops, databaseUrl)), fqdns })
  }
  return registries
}

async function startPostgres({ stops }: Pick<Bench, 'stops'>): Promise<string> {
  const log = createLog({ level: 'warn', stdout: process.stderr, isTerminal: false })
  const folder = await makeTempFolder(stops)
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log })
  stops.add(postgres.stop)
  return postgres.url
}

async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  const db = connect(postgresUrl, { poolSize: 1 })
  try {
    await db.sql`create database ${db.sql(name)}`
  } finally {
    await db.close()
  }
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}
