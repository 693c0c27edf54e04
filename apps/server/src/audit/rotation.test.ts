import { parseAuditLine, type AuditRow, type LogSigner } from '@pml/core/audit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  auditor,
  exportLines,
  giveLogKey,
  record,
  recordMany,
  tamper,
  verifyLines,
} from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { connect, type Database } from '../db/connect.ts'
import { exportAudit } from './export-audit.ts'
import { signCheckpoint } from './log-key.ts'
import { readCheckpoint, readHead } from './read-head.ts'
import { rotateAudit } from './rotate-audit.ts'
import { sealPending } from './seal-events.ts'

let db: Database
let signer: LogSigner

beforeEach(async () => {
  db = connect(await createDatabase(), { poolSize: 2 })
  signer = await giveLogKey(db)
})
afterEach(() => db.close())

/** Writes sealed events, some of them backdated. */
async function haveEvents({ old, days, young }: { old: number; days: number; young: number }): Promise<void> {
  await recordMany(db, old)
  await tamper(db, `update audit_event set at = at - interval '${days} days'`)
  await recordMany(db, young)
  await sealPending(db)
}

const rowsIn = (lines: readonly string[]) => lines.slice(1, -1).map((line) => JSON.parse(line) as AuditRow)

describe('rotation', () => {
  it('removes expired events, and the rest verifies from the checkpoint', async () => {
    await haveEvents({ old: 7, days: 31, young: 3 })
    const head = await readHead(db.orm)
    const before = rowsIn(await exportLines(db, signer))
    expect(await rotateAudit(db, { retentionDays: 30, signer })).toEqual({ removed: 7 })
    const lines = await exportLines(db, signer)
    expect(parseAuditLine(lines[0] ?? '')).toMatchObject({
      kind: 'header',
      checkpoint: { seq: 7, hash: before[6]?.hash },
    })
    expect(verifyLines(lines, head)).toMatchObject({ ok: true, rows: 4, firstSeq: 8, warnings: [] })
    expect(rowsIn(lines).slice(0, 3)).toEqual(before.slice(7))
    expect(rowsIn(lines)[3]).toMatchObject({
      actor: 'system',
      action: 'audit.rotate',
      detail: { checkpoint: { seq: 7, hash: before[6]?.hash }, events: 7, retentionDays: 30 },
    })
  })

  it('changes nothing when no event is expired', async () => {
    await haveEvents({ old: 3, days: 29, young: 1 })
    expect(await rotateAudit(db, { retentionDays: 30, signer })).toEqual({ removed: 0 })
    expect(await readCheckpoint(db.orm)).toBeNull()
    expect(await rotateAudit(db, { retentionDays: 28, signer })).toEqual({ removed: 3 })
    expect(await rotateAudit(db, { retentionDays: 28, signer })).toEqual({ removed: 0 })
    expect((await db.sql`select count(*)::int from audit_checkpoint`)[0]).toEqual({ count: 1 })
  })

  it('keeps at least one day, even with a retention of 0', async () => {
    await haveEvents({ old: 2, days: 2, young: 2 })
    expect(await rotateAudit(db, { retentionDays: 0, signer })).toEqual({ removed: 2 })
  })

  it('continues the chain after all events were removed', async () => {
    await haveEvents({ old: 4, days: 40, young: 0 })
    await rotateAudit(db, { retentionDays: 30, signer })
    await tamper(db, "update audit_event set at = at - interval '40 days'")
    await sealPending(db)
    await rotateAudit(db, { retentionDays: 30, signer })
    await recordMany(db, 2)
    const lines = await exportLines(db, signer)
    expect(verifyLines(lines)).toMatchObject({ ok: true, firstSeq: 6, rows: 3 })
  })

  it('removes more than one transaction holds, and resumes after an interruption', async () => {
    await db.sql`insert into audit_event (actor, action, subject, detail)
      select 'a', 'test.many', n::text, '{}' from generate_series(1, 1203) n`
    await tamper(db, "update audit_event set at = at - interval '31 days'")
    await record(db, 'young')
    await sealPending(db)
    await db.sql`
      with covered as (insert into audit_checkpoint (seq, hash) select seq, hash from audit_link where seq = 600
        returning seq, hash)
      insert into audit_event (actor, action, subject, detail)
      select 'system', 'audit.rotate', 'audit', jsonb_build_object('checkpoint', to_jsonb(covered)) from covered`
    await db.orm.transaction(async (tx) => {
      const checkpoint = await readCheckpoint(tx)
      if (checkpoint) await signCheckpoint(tx, signer, checkpoint)
    })
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, firstSeq: 601 })
    expect(await rotateAudit(db, { retentionDays: 30, signer })).toEqual({ removed: 1203 })
    expect(verifyLines(await exportLines(db, signer))).toMatchObject({ ok: true, firstSeq: 1204, rows: 3 })
    expect((await db.sql`select count(*)::int from audit_event`)[0]).toEqual({ count: 3 })
  })

  it('aborts an export that it overtakes, instead of letting it look tampered with', async () => {
    await haveEvents({ old: 600, days: 31, young: 1 })
    const lines = (await exportAudit(db, signer, auditor))[Symbol.asyncIterator]()
    await lines.next()
    await rotateAudit(db, { retentionDays: 30, signer })
    const read = async () => {
      for (let part = await lines.next(); !part.done;) part = await lines.next()
    }
    await expect(read()).rejects.toThrow('old events were removed while it was read; export again')
  })
})
