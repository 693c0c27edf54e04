import type postgres from 'postgres'
import type { Database } from '../db/connect.ts'

/** A consistent view of the database at `now`, for rows from `since` on. Both times are the database's. */
export interface Snapshot {
  readonly sql: postgres.TransactionSql
  readonly since: string
  readonly until: string
}

export function inSnapshot<Result>(
  db: Database,
  days: number,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return db.sql.begin('isolation level repeatable read read only', async (sql) => {
    const [row] = await sql<{ since: string; until: string }[]>`
      select now() as until, now() - make_interval(hours => ${days * 24}) as since`
    if (!row) throw new Error('unreachable: a select without a table returns one row')
    return read({ sql, since: isoOf(row.since), until: isoOf(row.until) })
  }) as Promise<Result>
}

/** Converts a time from the database's text format to ISO 8601. */
export function isoOf(printed: string): string {
  return new Date(printed).toISOString()
}
