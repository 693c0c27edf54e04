import type { Bench } from '../bench.ts'
import type { LineName } from '../lines.ts'
import { startRegistry, type Registry } from '../registry/start-registry.ts'
import { createDatabase, startPostgres } from '../start-postgres.ts'
import { measureChecks } from './measure-checks.ts'
import { measureSpends } from './measure-spends.ts'
import { seedApprovals, type Seeded } from './seed-approvals.ts'

/** Starts a registry on a database with this many approvals. */
export interface ApprovalRegistry extends Registry, Seeded {
  readonly databaseUrl: string
}

export interface Sizes {
  readonly small: ApprovalRegistry
  readonly large: ApprovalRegistry
}

const SMALL = 1000
const LARGE = 100_000

/** Measures the requests of a hook: checking and spending. */
export async function measureApprovals(bench: Bench): Promise<void> {
  const names: LineName[] = ['check', 'check-growth', 'spend', 'spend-p99', 'spend-growth']
  if (!names.some((name) => bench.wanted.has(name))) return
  const postgresUrl = await startPostgres(bench)
  const start = async (count: number): Promise<ApprovalRegistry> => {
    bench.tell(`seeding ${count} approvals`)
    const databaseUrl = await createDatabase(postgresUrl, `approvals_${count}`)
    const seeded = await seedApprovals(databaseUrl, count)
    return { ...(await startRegistry(bench.stops, { databaseUrl })), ...seeded, databaseUrl }
  }
  const sizes = { small: await start(SMALL), large: await start(LARGE) }
  await measureChecks(bench, sizes)
  await measureSpends(bench, sizes)
}
