import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { headText, parseAuditLine, type LogSigner } from '@pml/core/audit'
import type { AuditHeadAnswer, AuditKeyAnswer } from '@pml/core/schemas'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditor, exportLines, giveLogKey, recordMany, tamper, verifyLines } from '../../test/audit.ts'
import { createDatabase } from '../../test/database.ts'
import { startRegistry, type TestRegistry } from '../../test/registry.ts'
import { connect, type Database } from '../db/connect.ts'
import { openLogKey, readLogKeys } from './log-key.ts'
import { readHead } from './read-head.ts'
import { rotateAudit } from './rotate-audit.ts'
import { sealPending } from './seal-events.ts'
import { showHead } from './show-head.ts'
import { verifyLog } from './verify-log.ts'

const run = promisify(execFile)

describe('the log key', () => {
  let db: Database
  let folder: string
  let file: string
  const openKey = (options: Partial<Parameters<typeof openLogKey>[1]> = {}) =>
    openLogKey(db, { file, publicUrl: undefined, ...options })

  beforeEach(async () => {
    db = connect(await createDatabase(), { poolSize: 4 })
    folder = await mkdtemp(join(tmpdir(), 'pml-log-key-'))
    file = join(folder, 'data', 'log-key')
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  it('is created once, readable by its owner only, and recorded in the log', async () => {
    const signers = await Promise.all([openKey(), openKey(), openKey()])
    expect(new Set(signers.map(({ key }) => key)).size).toBe(1)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await openKey()).key).toBe(signers[0]?.key)
    expect(await db.sql`select action, detail ->> 'key' as key from audit_event`).toEqual([
      { action: 'audit.key', key: signers[0]?.key },
    ])
    const written = await db.sql`select * from log_key`
    expect(JSON.stringify(written)).not.toContain('PRIVATE')
  })

  it('is named after the public URL permanently', async () => {
    const { origin } = await openKey({ publicUrl: 'https://registry.example.com/pml' })
    expect(origin).toBe('registry.example.com/pml')
    expect((await openKey({ publicUrl: 'https://other.example.com' })).origin).toBe(origin)
  })

  it('has a random name if the public URL cannot name a log', async () => {
    expect((await openKey({ publicUrl: 'https://example.com/a+b' })).origin).toMatch(/^pml-registry\//)
  })

  it('is not replaced silently: a replica without the key file does not start', async () => {
    const { key } = await openKey()
    const missing = join(folder, 'elsewhere')
    await expect(openKey({ file: missing })).rejects.toThrow(
      `signed with ${key}, but the file is missing. Copy the file log-key of the server that created it to ${missing}`,
    )
    const { privateKey } = generateKeyPairSync('ed25519')
    await writeFile(missing, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    await expect(openKey({ file: missing })).rejects.toThrow(`signed with ${key}, but the file holds`)
    expect(await readLogKeys(db.orm)).toHaveLength(1)
  })

  it.each([
    ['empty', ''],
    ['no key', 'secret words'],
    ['of another kind', generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' })],
    ['too long', 'x'.repeat(5000)],
  ])('is refused when the file is %s, without quoting it', async (_, text) => {
    const bad = join(folder, 'bad')
    await writeFile(bad, text)
    const error = await openKey({ file: bad }).catch((caught: Error) => caught.message)
    expect(error).toContain(`Cannot use the log key ${bad}: expected an Ed25519 key in PEM`)
    expect(error).not.toContain('secret words')
  })

  it('is replaced when its file was moved to .old, and a client that pinned the old key still verifies', async () => {
    const old = await openKey()
    await recordMany(db, 5)
    await tamper(db, "update audit_event set at = at - interval '31 days'")
    await recordMany(db, 2)
    await sealPending(db)
    await rotateAudit(db, { retentionDays: 30, signer: old })
    await rename(file, `${file}.old`)
    const next = await openKey()
    expect(next.key).not.toBe(old.key)
    expect(next.origin).toBe(old.origin)
    expect((await openKey()).key).toBe(next.key)
    const lines = await exportLines(db, next)
    for (const pinned of [old.key, next.key])
      expect(verifyLines(lines, undefined, pinned)).toMatchObject({ ok: true, signedBy: next.key })
    expect(lines.join('\n')).toContain(`"action":"audit.key","subject":"audit","detail":{"key":"${next.key}"`)
    await expect(showHead(db, old, auditor)).rejects.toThrow('its key was replaced; restart this server')
    await expect(rotateAudit(db, { retentionDays: 30, signer: old })).rejects.toThrow('restart this server')
  })

  it('is replaced even if a first attempt died after it wrote the new file', async () => {
    const old = await openKey()
    await rename(file, `${file}.old`)
    const { privateKey } = generateKeyPairSync('ed25519')
    await writeFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const next = await openKey()
    expect(next.key).not.toBe(old.key)
    expect((await readLogKeys(db.orm)).map(({ key }) => key)).toEqual([old.key, next.key])
  })

  it('does not sign a checkpoint that the old key did not sign', async () => {
    await openKey()
    await recordMany(db, 3)
    await tamper(db, "update audit_event set at = at - interval '31 days'")
    await sealPending(db)
    await db.sql`insert into audit_checkpoint (seq, hash) select seq, hash from audit_link where seq = 2`
    await rename(file, `${file}.old`)
    const next = await openKey()
    const { texts } = problemsIn(await exportLines(db, next), next)
    expect(texts).toContain('the checkpoint is not signed')
  })

  it('cannot be changed or removed in the database', async () => {
    await openKey()
    await expect(db.sql`delete from log_key`).rejects.toThrow('the audit log can only grow')
    await expect(db.sql`update log_key set key = 'x'`).rejects.toThrow('the audit log can only grow')
  })
})

function problemsIn(lines: readonly string[], { key }: LogSigner) {
  const verdict = verifyLines(lines, undefined, key)
  return { ...verdict, texts: verdict.problems.map(({ problem }) => problem).join('\n') }
}

describe('a log that was forged without the key', () => {
  let db: Database
  let signer: LogSigner
  const { signal } = new AbortController()

  beforeEach(async () => {
    db = connect(await createDatabase(), { poolSize: 2 })
    signer = await giveLogKey(db)
    await recordMany(db, 8)
    await sealPending(db)
  })
  afterEach(() => db.close())

  /** Removes the beginning as rotation does, without a signature. */
  async function inventCheckpoint(seq: number): Promise<void> {
    await tamper(
      db,
      `insert into audit_checkpoint (seq, hash) select seq, hash from audit_link where seq = ${seq};
       delete from audit_event where id <= ${seq}; delete from audit_link where seq <= ${seq}`,
    )
    await db.sql`insert into audit_event (actor, action, subject, detail)
      select 'system', 'audit.rotate', 'audit',
        jsonb_build_object('checkpoint', jsonb_build_object('seq', seq, 'hash', hash)) from audit_checkpoint`
    await sealPending(db)
  }

  it('is rejected with an unsigned checkpoint, in the database and in an export', async () => {
    const kept = await readHead(db.orm)
    await inventCheckpoint(5)
    const inDatabase = await verifyLog({ db, signer }, auditor, { expectedHead: kept, signal })
    expect(inDatabase).toMatchObject({
      ok: false,
      signature: null,
      problems: [{ seq: 5, problem: expect.stringContaining('the checkpoint is not signed') }],
    })
    expect(problemsIn(await exportLines(db, signer), signer).ok).toBe(false)
    const allowed = await verifyLog({ db, signer }, auditor, { allowUnsigned: true, signal })
    expect(allowed).toMatchObject({ ok: true, warnings: [{ seq: 5 }] })
  })

  it('is rejected with a head from before the checkpoint', async () => {
    const [kept] = await db.sql<{ seq: number; hash: string }[]>`
      select seq::int, hash from audit_link where seq = 3`
    await inventCheckpoint(5)
    const { ok, problems } = await verifyLog({ db, signer }, auditor, {
      expectedHead: kept,
      allowUnsigned: true,
      signal,
    })
    expect(ok).toBe(false)
    expect(problems).toEqual([{ seq: 3, problem: expect.stringContaining('cannot be found any more') }])
  })

  it('is rejected with a signature copied from another checkpoint', async () => {
    await inventCheckpoint(5)
    await db.sql`insert into audit_signature (seq, key_id, signature)
      select 5, id, ${signer.sign('another text\n')} from log_key`
    const { problems } = await verifyLog({ db, signer }, auditor, { allowUnsigned: true, signal })
    expect(problems).toEqual([{ seq: 5, problem: 'the checkpoint is not signed with the key of the log' }])
  })

  it('is rejected if the caller pinned another key', async () => {
    const other = await giveLogKey(db)
    const verdict = await verifyLog({ db, signer: other }, auditor, { key: signer.key, signal })
    expect(verdict.ok).toBe(false)
    expect(verdict.problems[0]?.problem).toContain(`is not signed by the key before it, ${signer.key}`)
  })
})

describe('signatures over HTTP', () => {
  let registry: TestRegistry
  let headers: { Authorization: string }
  let folder: string

  beforeAll(async () => {
    registry = await startRegistry()
    headers = await registry.key('approve', 'read:*')
    folder = await mkdtemp(join(tmpdir(), 'pml-openssl-'))
  })
  afterAll(async () => {
    await registry.stop()
    await rm(folder, { recursive: true })
  })
  const get = async <Answer>(path: string) =>
    (await (await registry.fetch(path, { headers })).json()) as Answer

  it('verify a head with openssl, as docs/audit.md describes', async () => {
    const response = await registry.fetch('/audit/key')
    expect(response.status).toBe(200)
    const { origin, key, pem, keys } = (await response.json()) as AuditKeyAnswer
    expect(keys).toEqual([{ key, signature: null }])
    const head = await get<AuditHeadAnswer>('/audit/head')
    expect(head.key).toBe(key)
    const files = { pem: join(folder, 'pem'), text: join(folder, 'text'), sig: join(folder, 'sig') }
    await writeFile(files.pem, pem)
    await writeFile(files.text, `pml-audit-head/v1\n${origin}\n${head.seq}\n${head.hash}\n`)
    expect(await readFile(files.text, 'utf8')).toBe(headText(origin, head))
    await writeFile(files.sig, Buffer.from(head.signature, 'base64').subarray(4))
    const check = ['pkeyutl', '-verify', '-pubin', '-inkey', files.pem, '-rawin', '-in', files.text]
    const { stdout } = await run('openssl', [...check, '-sigfile', files.sig])
    expect(stdout).toContain('Signature Verified Successfully')
  })

  it('are at the end of an export', async () => {
    const text = await (await registry.fetch('/audit/export', { headers })).text()
    const lines = text.trimEnd().split('\n')
    const { key } = await get<AuditKeyAnswer>('/audit/key')
    expect(parseAuditLine(lines.at(-1) ?? '')).toMatchObject({ kind: 'end', signature: expect.any(String) })
    expect(verifyLines(lines, undefined, key)).toMatchObject({ ok: true, signedBy: key, warnings: [] })
  })
})
