import type { ShownStatus } from '@pml/core/schemas'
import { sql, type SQL } from 'drizzle-orm'
import { change } from '../db/schema.ts'

/**
 * An approval that nobody used in time, or whose key is no longer good, is expired without anybody writing it down; the
 * clock is the database's.
 */
export const shownStatus: SQL<ShownStatus> = sql<ShownStatus>`
  case when ${change.status} = 'approved' and (${change.expiresAt} <= clock_timestamp() or not exists (
         select from api_key k where k.id = ${change.decidedBy} and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > clock_timestamp()))) then 'expired'
       else ${change.status} end`
