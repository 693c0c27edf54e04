import type { LogSigner } from '@pml/core/audit'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { giveLogKey, record, recordMany, tamper } from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { connect, type Database } from '../db/connect.ts'
import { readHead } from './read-head.ts'
import { startAudit, type RunningAudit } from './start-audit.ts'

let db: Database
let audit: RunningAudit
let signer: LogSigner
let log: string[]

beforeEach(async () => {
  db = connect(await createDatabase(), { poolSize: 4 })
  signer = await giveLogKey(db)
  log = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => log.push(line) })
  audit = await startAudit(db, { log: logger, retentionDays: () => 30, signer })
})
afterEach(async () => {
  await audit.stop()
  await db.close()
})

function listen(): { subjects: string[]; stop: () => void } {
  const subjects: string[] = []
  const stop = audit.subscribe((rows) => subjects.push(...rows.map(({ subject }) => subject)))
  return { subjects, stop }
}

describe('a subscriber of the audit log', () => {
  it('gets each event once, in order, while it is subscribed', async () => {
    await record(db, 'before')
    await expect.poll(async () => (await audit.head()).seq).toBe(1)
    const [one, other] = [listen(), listen()]
    await record(db, 'a')
    await record(db, 'b')
    for (const { subjects } of [one, other]) await expect.poll(() => subjects.slice(-2)).toEqual(['a', 'b'])
    one.stop()
    await record(db, 'c')
    audit.poke()
    await expect.poll(() => other.subjects.slice(-3)).toEqual(['a', 'b', 'c'])
    expect(one.subjects.at(-1)).toBe('b')
  })

  it('can read earlier events from any position', async () => {
    await recordMany(db, 5)
    await expect.poll(async () => (await audit.head()).seq).toBe(5)
    const rows = await audit.read(1, 3)
    expect(rows.map(({ seq, subject }) => [seq, subject])).toEqual([
      [2, 'event 2'],
      [3, 'event 3'],
      [4, 'event 4'],
    ])
    expect(await audit.read(5, 3)).toEqual([])
  })

  it('gets more events than a page holds', async () => {
    const { subjects } = listen()
    await db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.many', n::text, '{}' from generate_series(1, 1100) n`
    await expect.poll(() => subjects.length, { timeout: 10_000 }).toBe(1100)
    expect(subjects).toEqual(Array.from({ length: 1100 }, (_, n) => String(n + 1)))
  })

  it('misses nothing when the LISTEN connection breaks', async () => {
    const { subjects } = listen()
    await record(db, 'a')
    await expect.poll(() => subjects, { timeout: 10_000 }).toEqual(['a'])
    await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
    await record(db, 'b')
    await record(db, 'c')
    await expect.poll(() => subjects, { timeout: 10_000 }).toEqual(['a', 'b', 'c'])
  })

  it('is not affected by another one that throws', async () => {
    audit.subscribe(() => {
      throw new Error('of no use')
    })
    const { subjects } = listen()
    await record(db, 'a')
    await expect.poll(() => subjects, { timeout: 10_000 }).toEqual(['a'])
    expect(log.join('')).toContain('a listener to the audit log failed')
  })
})

describe('sealing in the background', () => {
  it('logs a failure once, and recovers by itself', async () => {
    await db.sql`alter table audit_link add constraint never check (seq < 0) not valid`
    await recordMany(db, 3)
    const complaints = () => log.filter((line) => line.includes('cannot seal the audit log'))
    await expect.poll(complaints, { timeout: 10_000 }).toHaveLength(1)
    await db.sql`alter table audit_link drop constraint never`
    await expect.poll(async () => (await readHead(db.orm)).seq, { timeout: 10_000 }).toBe(3)
    expect(complaints()).toHaveLength(1)
  })

  it('removes expired events when it starts', async () => {
    await audit.stop()
    await recordMany(db, 3)
    await tamper(db, "update audit_event set at = at - interval '31 days'")
    audit = await startAudit(db, { log: pino({ level: 'silent' }), retentionDays: () => 30, signer })
    await expect
      .poll(async () => (await audit.read(0, 10)).map(({ action }) => action), { timeout: 10_000 })
      .toEqual(['audit.rotate'])
  })
})
