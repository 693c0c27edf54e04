import type { ShownStatus } from '@pml/core/schemas'
import { sql, type SQL } from 'drizzle-orm'
import { change } from '../db/schema.ts'

/** An approval that nobody used in time is expired without anybody writing it down; the clock is the database's. */
export const shownStatus: SQL<ShownStatus> = sql<ShownStatus>`
  case when ${change.status} = 'approved' and ${change.expiresAt} <= clock_timestamp() then 'expired'
       else ${change.status} end`
