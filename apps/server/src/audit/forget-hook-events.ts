import { asc, inArray, sql } from 'drizzle-orm'
import type { Database } from '../db/connect.ts'
import { hookEvent } from '../db/schema.ts'

const BATCH = 5000

/** Drops the ids of hook events that are no longer in the audit log; agents do not resend those. */
export async function forgetHookEvents({ orm }: Database, { days }: { days: number }): Promise<void> {
  const old = orm
    .select({ id: hookEvent.id })
    .from(hookEvent)
    .where(sql`${hookEvent.at} < clock_timestamp() - make_interval(secs => ${days * 86_400})`)
    .orderBy(asc(hookEvent.at))
    .limit(BATCH)
  for (let gone = BATCH; gone === BATCH;) {
    const { count } = await orm.delete(hookEvent).where(inArray(hookEvent.id, old))
    gone = count
  }
}
