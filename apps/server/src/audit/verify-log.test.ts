import { parseAuditLine, printAuditRow, type AuditRow, type LogSigner } from '@pml/core/audit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { auditor, exportLines, giveLogKey, recordMany, tamper, verifyLines } from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { connect, type Database } from '../db/connect.ts'
import { anonymous } from '../keys/actor.ts'
import { readHead } from './read-head.ts'
import { sealPending } from './seal-events.ts'
import { verifyLog } from './verify-log.ts'

let db: Database
let signer: LogSigner
const { signal } = new AbortController()
const verify = (expectedHead?: { seq: number; hash: string }) =>
  verifyLog({ db, signer }, auditor, { expectedHead, signal })

beforeEach(async () => {
  db = connect(await createDatabase(), { poolSize: 2 })
  signer = await giveLogKey(db)
  await recordMany(db, 8)
  await sealPending(db)
})
afterEach(() => db.close())

const changed = 'it was changed: its hash is not that of its content'

describe('the log in the database, with its guards turned off', () => {
  it('verifies while it is untouched', async () => {
    expect(await verify()).toMatchObject({ ok: true, rows: 8, problems: [] })
  })

  it.each([
    ['actor', "update audit_event set actor = 'eve' where subject = 'event 5'"],
    ['detail', `update audit_event set detail = '{"a":1}' where subject = 'event 5'`],
    ['time', "update audit_event set at = at - interval '1 ms' where subject = 'event 5'"],
    ['hash', "update audit_link set hash = repeat('a', 64) where seq = 5"],
  ])('names the row whose %s was changed', async (_, statement) => {
    await tamper(db, statement)
    expect((await verify()).problems).toEqual([{ seq: 5, problem: changed }])
    expect(verifyLines(await exportLines(db, signer)).problems).toEqual([{ seq: 5, problem: changed }])
  })

  it.each([
    ['an event with its link', 'delete from audit_link where seq = 5; delete from audit_event where id = 5'],
    ['an event', 'delete from audit_event where id = 5'],
  ])('names the row when %s was removed', async (_, statement) => {
    await tamper(db, statement)
    expect((await verify()).problems).toEqual([{ seq: 5, problem: 'it is missing: removed' }])
    expect(verifyLines(await exportLines(db, signer)).problems).toContainEqual({
      seq: 5,
      problem: 'it is missing: removed',
    })
  })

  it('names an event whose link alone was removed', async () => {
    await tamper(db, "update audit_event set at = at - interval '2 minutes'")
    await tamper(db, 'delete from audit_link where seq = 8')
    const { problems } = await verify()
    expect(problems).toContainEqual({
      seq: null,
      problem: 'event 8 (test.write) is missing from the chain: its link was removed',
    })
  })

  it('names an event that was removed before it had a link', async () => {
    await recordMany(db, 1)
    await tamper(db, 'delete from audit_event where id = 9')
    expect((await verify()).problems).toEqual([
      { seq: null, problem: 'event 9 was removed before it was sealed' },
    ])
  })

  it.each([
    ['events', 'update audit_link set event_id = 9 - event_id where seq in (4, 5)'],
    [
      'links',
      'update audit_link set seq = -seq where seq in (4, 5); update audit_link set seq = 9 + seq where seq < 0',
    ],
  ])('names rows whose %s were swapped', async (_, statement) => {
    await tamper(db, `alter table audit_link drop constraint audit_link_event_id_key; ${statement}`)
    const { problems } = await verify()
    expect(problems.map(({ seq }) => seq)).toEqual([4, 5])
    for (const { problem } of problems) expect(problem).toMatch(/^it was reordered/)
  })

  it('cannot be truncated unnoticed if the head is known', async () => {
    const head = await readHead(db.orm)
    await tamper(db, 'delete from audit_link where seq > 6; delete from audit_event where id > 6')
    expect(await verify()).toMatchObject({ ok: true, rows: 6 })
    expect((await verify(head)).problems).toEqual([
      { seq: 7, problem: 'it and all rows up to 8 are missing: the log was cut off' },
    ])
  })

  it('refuses verification without scope approve', async () => {
    await expect(verifyLog({ db, signer }, anonymous, { signal })).rejects.toThrow('scope approve')
  })
})

describe('an export, edited as plain text', () => {
  const rowAt = (lines: readonly string[], seq: number) => {
    const line = parseAuditLine(lines[seq] ?? '')
    return (line.kind === 'row' ? line.row : undefined) as AuditRow
  }

  it('names rows that were changed, removed, reordered, inserted or truncated', async () => {
    const lines = await exportLines(db, signer)
    const head = await readHead(db.orm)
    expect(verifyLines(lines, head)).toMatchObject({ ok: true, rows: 8 })
    const edits: [string[], number][] = [
      [lines.with(3, (lines[3] ?? '').replace('"writer"', '"eve"')), 3],
      [lines.toSpliced(4, 1), 4],
      [lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''), 5],
      [lines.toSpliced(6, 0, printAuditRow({ ...rowAt(lines, 2), seq: 6 })), 6],
      [[...lines.slice(0, 7), JSON.stringify({ head: rowAt(lines, 6), rows: 6 })], 7],
    ]
    for (const [edited, seq] of edits) {
      const verdict = verifyLines(edited, head)
      expect(verdict.ok).toBe(false)
      expect(verdict.problems.map((problem) => problem.seq)).toContain(seq)
    }
  })
})
