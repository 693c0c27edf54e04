import type { Bench } from '../bench.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { createDatabase, startPostgres } from '../start-postgres.ts'
import { readFqdns, seedEntries } from './seed-entries.ts'

/** A registry that started on a full database. */
export interface GrownRegistry extends Registry {
  readonly fqdns: readonly string[]
}

/** One Postgres with a database per size. */
export async function startGrownRegistries<Size extends number>(
  { stops, tell }: Bench,
  sizes: readonly Size[],
): Promise<Map<Size, GrownRegistry>> {
  const postgresUrl = await startPostgres({ stops })
  const registries = new Map<Size, GrownRegistry>()
  for (const size of sizes) {
    tell(`seeding ${size} entries`)
    const databaseUrl = await createDatabase(postgresUrl, `entries_${size}`)
    await seedEntries(databaseUrl, size)
    const fqdns = await readFqdns(databaseUrl)
    registries.set(size, { ...(await startRegistry(stops, { databaseUrl })), fqdns })
  }
  return registries
}
