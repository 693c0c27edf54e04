import { PmlError } from '@pml/core'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import * as schema from './schema.ts'

export type Orm = PostgresJsDatabase<typeof schema>
export type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0]

/** The connection pools. Verbs use `orm`; `sql` is for what the ORM lacks, such as LISTEN. */
export interface Database {
  readonly orm: Orm
  readonly sql: postgres.Sql
  /** For the read path only: never waits for writes, and plans each query once, which saves a millisecond a query. */
  readonly lookups: postgres.Sql
  /** For listing and searching the catalog only; catalog/catalog-lane.ts limits its use. */
  readonly catalog: postgres.Sql
  /** Closes the pools; running queries get a few seconds to finish. */
  close(): Promise<void>
}

export const LOOKUP_CONNECTIONS = 2
export const CATALOG_CONNECTIONS = 2
const CLOSE_TIMEOUT_S = 5
/** Well below the OVERLAP of catalog/follow-changes.ts. */
const TIMEOUT_MS = 10_000
const CATALOG_SETTINGS = {
  statement_timeout: 5000,
  // Common and rare words need different plans.
  plan_cache_mode: 'force_custom_plan',
  // With a limit the planner prefers sequential scans, which are fast only for common words.
  enable_seqscan: 'off',
  jit: 'off',
}

export function connect(url: string, { poolSize }: { poolSize: number }): Database {
  const sql = open(url, { max: poolSize })
  const lookups = open(url, { max: LOOKUP_CONNECTIONS, settings: { plan_cache_mode: 'force_generic_plan' } })
  const catalog = open(url, { max: CATALOG_CONNECTIONS, settings: CATALOG_SETTINGS })
  const close = async () => {
    await Promise.all([sql, lookups, catalog].map((pool) => pool.end({ timeout: CLOSE_TIMEOUT_S })))
  }
  return { sql, lookups, catalog, orm: drizzle(sql, { schema }), close }
}

function open(
  url: string,
  { max, settings = {} }: { max: number; settings?: Record<string, string | number> },
): postgres.Sql {
  return postgres(url, {
    max,
    connect_timeout: 5,
    backoff: () => 0.2,
    onnotice: () => {},
    connection: {
      application_name: 'pml-registry',
      statement_timeout: TIMEOUT_MS,
      idle_in_transaction_session_timeout: TIMEOUT_MS,
      ...settings,
    },
  })
}

const connectionErrors = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
])

/** Explains to the operator why the database prevented the start; undefined for other errors. */
export function explainFailure(error: unknown, url: string): PmlError | undefined {
  const { host, pathname } = new URL(url)
  const place = `the database ${pathname.slice(1)} at ${host}`
  if (error instanceof Error && error.message.includes('unsupported startup parameter')) {
    return new PmlError(
      'unavailable',
      `Cannot use ${place}: ${error.message}; it looks like PgBouncer: connect directly, or use session mode, ` +
        'list the parameter in ignore_startup_parameters and set it with ALTER ROLE',
    )
  }
  if (isConnectionError(error)) {
    return new PmlError(
      'unavailable',
      `Cannot reach ${place}: ${reasonOf(error)}; check DATABASE_URL and that it runs`,
    )
  }
  if (error instanceof postgres.PostgresError)
    return new PmlError('unavailable', `Cannot use ${place}: ${error.message}`)
  return undefined
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/** Reports whether a statement was cancelled or timed out. */
export function isCancelled(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code === '57014') return true
  }
  return false
}

/** Reports whether the database was unreachable, rather than returned an error. */
export function isConnectionError(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? String(at.code) : ''
    // SQLSTATE 08: connection exception; 57P: shut down or starting up; 53: too many connections, disk full.
    if (connectionErrors.has(code) || /^(08|57P|53)/.test(code)) return true
    if (at instanceof AggregateError && at.errors.some(isConnectionError)) return true
  }
  return false
}
