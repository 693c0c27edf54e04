import type { AuditRow, LogSigner } from '@pml/core/audit'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportLines, giveLogKey, record, recordMany, tamper, verifyLines } from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { openTestLogKey, startRegistry } from '../../test/registry.ts'
import { connect, type Database } from '../db/connect.ts'
import { recordEvent } from '../db/record-event.ts'
import { system } from '../keys/actor.ts'
import { followSealed } from './follow-sealed.ts'
import { readHead } from './read-head.ts'
import { BATCH, sealPending, trySealing } from './seal-events.ts'

const count = async ({ sql }: Database, table: string) =>
  Number((await sql.unsafe(`select count(*) from ${table}`))[0]?.['count'])

describe('sealing', () => {
  let url: string
  let db: Database
  let signer: LogSigner

  beforeEach(async () => {
    url = await createDatabase()
    db = connect(url, { poolSize: 4 })
    signer = await giveLogKey(db)
  })
  afterEach(() => db.close())

  it('gives every event one sequence number, in order and without gaps', async () => {
    await recordMany(db, 12)
    await sealPending(db)
    const links = await db.sql`select seq, event_id from audit_link order by seq`
    expect(links.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    expect(new Set(links.map(({ event_id }) => String(event_id))).size).toBe(12)
    expect(await count(db, 'audit_pending')).toBe(0)
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, rows: 12 })
  })

  it('seals more events than a batch holds', async () => {
    await db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.many', n::text, '{}' from generate_series(1, ${BATCH * 2 + 1}) n`
    await sealPending(db)
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, rows: BATCH * 2 + 1 })
  })

  it('preserves any detail of an event exactly', async () => {
    const detail = {
      text: 'Ünï “c” \u{202e}😀\n',
      numbers: [0.1, -1, 1e21, 12345678901],
      deep: { a: { b: null } },
    }
    await record(db, 'odd', { ...detail, absent: undefined })
    const [, line = ''] = await exportLines(db, signer)
    expect((JSON.parse(line) as AuditRow).detail).toEqual(detail)
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, rows: 1 })
  })

  it('uses the time of the database, in milliseconds', async () => {
    await db.sql`insert into audit_event (at, actor, action, subject, detail)
      values ('1999-01-01', 'a', 'test.past', 's', '{}')`
    const [row] = await db.sql`
      select at > now() - interval '1 minute' as fresh, at = date_trunc('milliseconds', at) as whole from audit_event`
    expect(row).toEqual({ fresh: true, whole: true })
  })

  it('loses nothing when it fails in the middle, and seals nothing twice', async () => {
    await recordMany(db, 5)
    await db.sql`create function fail() returns trigger language plpgsql as $$ begin raise 'killed'; end $$`
    await db.sql`create trigger fail before delete on audit_pending execute function fail()`
    await expect(trySealing(db)).rejects.toThrow('delete from "audit_pending"')
    expect([await count(db, 'audit_link'), await count(db, 'audit_pending')]).toEqual([0, 5])
    await db.sql`drop trigger fail on audit_pending`
    expect([await trySealing(db), await trySealing(db)]).toEqual([5, 0])
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, rows: 5 })
  })

  it('skips events that were rolled back, and includes those that commit late', async () => {
    await record(db, 'first')
    const late = await db.sql.reserve()
    await late`begin`
    await late`insert into audit_event (actor, action, subject, detail) values ('a', 'test.late', 'late', '{}')`
    await expect(
      db.orm.transaction(async (tx) => {
        await recordEvent(tx, system, { action: 'test.never', subject: 'never', detail: {} })
        throw new Error('taken back')
      }),
    ).rejects.toThrow('taken back')
    await record(db, 'second')
    await sealPending(db)
    await late`commit`
    late.release()
    const subjects = (await exportLines(db, signer))
      .slice(1, -1)
      .map((line) => (JSON.parse(line) as AuditRow).subject)
    expect(subjects).toEqual(['first', 'second', 'late'])
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, rows: 3 })
  })

  it('is not blocked by events that were removed before they were sealed', async () => {
    await db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.taken', n::text, '{}' from generate_series(1, ${BATCH + 1}) n`
    await tamper(db, 'delete from audit_event')
    await record(db, 'after them')
    expect([await trySealing(db), await trySealing(db)]).toEqual([1, 0])
    expect(await count(db, 'audit_pending')).toBe(BATCH + 1)
  })

  it('is done by one process at a time', async () => {
    await recordMany(db, 3)
    const other = connect(url, { poolSize: 1 })
    const holding = await other.sql.reserve()
    await holding`begin`
    await holding`select pg_advisory_xact_lock(7011220528)`
    expect(await trySealing(db)).toBe(0)
    await holding`rollback`
    holding.release()
    expect(await trySealing(db)).toBe(3)
    await other.close()
  })

  it('continues after a dump was restored into another database', async () => {
    await recordMany(db, 4)
    await sealPending(db)
    await recordMany(db, 2)
    const restored = connect(await createDatabase(), { poolSize: 2 })
    for (const table of ['audit_event', 'audit_link', 'audit_pending', 'log_key']) {
      const rows = await db.sql.unsafe(`select * from ${table}`)
      const values = JSON.stringify(rows).replaceAll("'", "''")
      await tamper(
        restored,
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, '${values}')`,
      )
    }
    await restored.sql`select setval(pg_get_serial_sequence('audit_event', 'id'), (select max(id) from audit_event))`
    await recordMany(restored, 3)
    expect(verifyLines(await exportLines(restored, signer))).toMatchObject({ ok: true, rows: 9 })
    const shared = (await exportLines(db, signer)).slice(0, 7)
    expect((await exportLines(restored, signer)).slice(0, 7)).toEqual(shared)
    await restored.close()
  })
})

describe('two registries on one database', () => {
  it('seal the events of 200 parallel transactions once each, and both deliver each once, in order', async () => {
    const one = await startRegistry()
    const two = await startRegistry({ databaseUrl: one.databaseUrl })
    await sealPending(one.db)
    const followers = [
      await followSealed(one.db, pino({ level: 'silent' })),
      await followSealed(two.db, pino({ level: 'silent' })),
    ]
    const heard = followers.map(({ subscribe }) => {
      const seqs: number[] = []
      subscribe((rows) => seqs.push(...rows.map(({ seq }) => seq)))
      return seqs
    })
    const { seq: before } = await readHead(one.db.orm)
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => record(n % 2 === 0 ? one.db : two.db, `parallel ${n}`)),
    )
    const expected = Array.from({ length: 200 }, (_, n) => before + n + 1)
    for (const seqs of heard) await expect.poll(() => seqs, { timeout: 10_000 }).toEqual(expected)
    const verdict = verifyLines(await exportLines(one.db, await openTestLogKey(one.db, one.databaseUrl)))
    expect(verdict).toMatchObject({ ok: true, rows: before + 200, head: await readHead(two.db.orm) })
    for (const follower of followers) await follower.stop()
    await two.stop()
    await one.stop()
  })
})
