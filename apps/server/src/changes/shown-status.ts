import type { ShownStatus } from '@pml/core/schemas'
import { sql, type SQL } from 'drizzle-orm'
import { change } from '../db/schema.ts'

/**
 * The status of a change, computed at read time by the database's clock: an approval is expired after its time, or
 * when its approver's key is no longer valid.
 */
export const shownStatus: SQL<ShownStatus> = sql<ShownStatus>`
  case when ${change.status} = 'approved' and (${change.expiresAt} <= clock_timestamp() or not exists (
         select from api_key k where k.id = ${change.decidedBy} and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > clock_timestamp()))) then 'expired'
       else ${change.status} end`
