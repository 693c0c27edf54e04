import type { Database } from './db/connect.ts'
import { withDeadline } from './db/deadline.ts'
import type { Actor } from './keys/actor.ts'

export interface Readiness {
  readonly status: 'ready' | 'not ready'
  /** `ok`, or the problem. */
  readonly checks: Readonly<Record<'database' | 'migrations' | 'config', string>>
}

/** Hides the problems from everyone but admins, because they may contain file names and paths. */
export function readinessFor({ scopes }: Actor, { status, checks }: Readiness): Readiness {
  if (scopes.includes('admin')) return { status, checks }
  const shown = (check: string) => (check === 'ok' ? 'ok' : 'failing')
  const { database, migrations, config } = checks
  return {
    status,
    checks: { database: shown(database), migrations: shown(migrations), config: shown(config) },
  }
}

const PATIENCE_MS = 2000

/** Checks database, migrations and configuration. Another version may have changed the migrations since the start. */
export async function checkReadiness(
  { sql }: Database,
  { problems, migrations }: { problems: readonly string[]; migrations: number },
): Promise<Readiness> {
  const counted = sql<{ count: number }[]>`select count(*)::int from migration`.then(([row]) => row?.count)
  const applied = await withDeadline(counted, PATIENCE_MS).catch(() => undefined)
  const checks = {
    database: applied === undefined ? 'does not answer' : 'ok',
    migrations:
      applied === undefined
        ? 'unknown'
        : applied === migrations
          ? 'ok'
          : `expected ${migrations} applied, found ${applied}`,
    config: problems.length === 0 ? 'ok' : problems.join('\n'),
  }
  return { status: Object.values(checks).every((check) => check === 'ok') ? 'ready' : 'not ready', checks }
}
