import { inArray, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/connect.ts'
import { change } from '../db/schema.ts'

const BATCH = 200
/** An arbitrary unique constant. Stored bytes are counted under this lock, so that the limit holds for parallel writes. */
const ADVISORY_LOCK = 7_011_220_530

/** Drops the contents of changes that were decided more than `days` ago. The changes themselves stay. */
export async function dropContents(
  { orm }: Pick<Database, 'orm'>,
  { days }: { days: number },
): Promise<void> {
  for (let dropped = BATCH; dropped === BATCH;) dropped = await orm.transaction((tx) => dropBatch(tx, days))
}

/** Locks rows before counters, in the same order as a new change, to avoid deadlocks. */
async function dropBatch(tx: Transaction, days: number): Promise<number> {
  const cutoff = sql`clock_timestamp() - make_interval(secs => ${days * 86_400})`
  const rows = await tx.execute<{ id: string }>(sql`
    select id from change
    where decided_at < ${cutoff} and content_dropped_at is null and coalesce(used_at < ${cutoff}, true)
      and (status <> 'approved' or expires_at < ${cutoff})
    order by decided_at limit ${BATCH} for update skip locked`)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await tx
    .update(change)
    .set({ contentDroppedAt: sql`clock_timestamp()` })
    .where(inArray(change.id, ids))
  await lockStorage(tx)
  await tx.execute(sql`
    with gone as (
      delete from change_content where change_id in (${sql.join(ids, sql`, `)}) returning change_id, octet_length(bytes) as size
    ), freed as (
      select asked_by, sum(size) as bytes from gone join change on id = change_id group by asked_by
    )
    update change_storage s set bytes = greatest(0, s.bytes - freed.bytes) from freed where s.key_id = freed.asked_by`)
  return rows.length
}

export async function lockStorage(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
}
