import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordMany, tamper } from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { connect, type Database } from '../db/connect.ts'
import { sealPending } from './seal-events.ts'

let db: Database

beforeAll(async () => {
  db = connect(await createDatabase(), { poolSize: 2 })
  await recordMany(db, 6)
  await tamper(db, "update audit_event set at = at - interval '3 days' where id <= 4")
  await sealPending(db)
  await db.sql`insert into audit_checkpoint (seq, hash) select seq, hash from audit_link where seq = 2`
  await recordMany(db, 1)
})
afterAll(() => db.close())

describe('the audit log in the database', () => {
  it.each([
    "update audit_event set actor = 'eve' where id = 5",
    'delete from audit_event where id = 5',
    'delete from audit_event where id = 7',
    'truncate audit_event cascade',
    'update audit_link set hash = hash',
    'delete from audit_link where seq = 3',
    'truncate audit_link',
    'update audit_pending set event_id = 0',
    'delete from audit_pending',
    'truncate audit_pending',
    'update audit_checkpoint set seq = 1',
    'delete from audit_checkpoint',
    'truncate audit_checkpoint',
  ])('refuses: %s', async (statement) => {
    await expect(db.sql.unsafe(statement)).rejects.toThrow('the audit log can only grow')
  })

  it('refuses to remove an old event whose link no checkpoint covers', async () => {
    await expect(db.sql`delete from audit_event where id = 4`).rejects.toThrow('the audit log can only grow')
  })

  it.each([
    ['younger than a day', 'select seq, hash from audit_link where seq = 5'],
    ['with another hash', "select seq, repeat('a', 64) from audit_link where seq = 3"],
    ['where no link is', "select 99, repeat('a', 64)"],
  ])('refuses a checkpoint %s', async (_, row) => {
    await expect(db.sql.unsafe(`insert into audit_checkpoint (seq, hash) ${row}`)).rejects.toThrow(
      'a checkpoint must be at a link that is older than a day, with its hash',
    )
  })

  it.each([
    ['a gap before it', 8],
    ['another link before it', 3],
  ])('refuses a link with %s', async (_, seq) => {
    await expect(
      db.sql`insert into audit_link (seq, event_id, prev, hash) values (${seq}, 7, ${'a'.repeat(64)}, ${'b'.repeat(64)})`,
    ).rejects.toThrow(/can only grow|duplicate key/)
  })

  it('allows the removal of only the events that a checkpoint covers', async () => {
    const remove = async (seq: number) => {
      await db.sql.begin(async (tx) => {
        const [link] = await tx`delete from audit_link where seq = ${seq} returning event_id`
        await tx`delete from audit_event where id = ${link?.['event_id']}`
      })
    }
    await remove(1)
    await remove(2)
    await expect(remove(3)).rejects.toThrow('the audit log can only grow')
    expect((await db.sql`select count(*)::int from audit_event`)[0]).toEqual({ count: 5 })
  })

  it('refuses a link in the removed range, which would allow the removal of its event', async () => {
    for (const seq of [1, 2])
      await expect(
        db.sql`insert into audit_link (seq, event_id, prev, hash) values (${seq}, 7, ${'0'.repeat(64)}, ${'b'.repeat(64)})`,
      ).rejects.toThrow('the audit log can only grow')
  })
})
