import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  checkpointText,
  createAuditFileVerifier,
  createLogSigner,
  genesis,
  hashOfRow,
  headText,
  isSignedBy,
  parseAuditLine,
  parseLogKey,
  printAuditEnd,
  printAuditHeader,
  printAuditRow,
  successionText,
  type AuditHead,
  type AuditRow,
  type LogKeyStep,
  type LogSigner,
} from './index.ts'

const ORIGIN = 'registry.example.com'
const newSigner = (origin = ORIGIN) => createLogSigner(origin, generateKeyPairSync('ed25519').privateKey)
const [ours, theirs] = [newSigner(), newSigner()]
const stepOf = ({ key }: LogSigner): LogKeyStep => ({ key, signature: null })

function chain(length: number, start: AuditHead = genesis, actor = 'ada'): AuditRow[] {
  const rows: AuditRow[] = []
  let { seq, hash: prev } = start
  while (rows.length < length) {
    seq++
    const row = {
      seq,
      at: new Date(Date.UTC(2026, 0, 1) + seq * 60_000).toISOString(),
      actor,
      action: 'key.create',
      subject: `k${seq}`,
      detail: {},
      prev,
    }
    prev = hashOfRow(row)
    rows.push({ ...row, hash: prev })
  }
  return rows
}

const AT = '2026-02-01T00:00:00.000Z'

/** Rows after a checkpoint, which the first of them records, as the registry writes them. */
function rotated(checkpoint: AuditHead, length: number, actor = 'ada'): AuditRow[] {
  const { seq, hash } = checkpoint
  const [first] = chain(1, checkpoint, actor)
  const telling = { ...(first as AuditRow), action: 'audit.rotate', detail: { checkpoint: { seq, hash } } }
  const second = { ...telling, hash: hashOfRow(telling) }
  return [second, ...chain(length - 1, second, actor)]
}

interface Written {
  readonly rows: readonly AuditRow[]
  readonly checkpoint?: AuditHead | undefined
  readonly keys?: readonly LogKeyStep[]
  /** Signs the checkpoint; null leaves it unsigned. */
  readonly by?: LogSigner | null
  readonly endBy?: LogSigner | null
}

function linesOf({ rows, checkpoint, keys, by = ours, endBy = by }: Written): string[] {
  const at = { ...checkpoint, at: AT } as AuditHead & { at: string }
  const head = rows.at(-1) ?? checkpoint ?? genesis
  const end = printAuditEnd(head, rows.length, endBy?.sign(headText(endBy.origin, head)) ?? '')
  return [
    printAuditHeader({
      keys: keys ?? [stepOf(by ?? ours)],
      checkpoint: checkpoint ? { ...at, signature: by?.sign(checkpointText(by.origin, at)) ?? null } : null,
    }),
    ...rows.map(printAuditRow),
    endBy ? end : end.replace(',"signature":""', ''),
  ]
}

function verdictOf(
  written: Written | string[],
  options: Parameters<typeof createAuditFileVerifier>[0] = { key: ours.key },
) {
  const verifier = createAuditFileVerifier(options)
  for (const line of Array.isArray(written) ? written : linesOf(written)) verifier.line(line)
  const verdict = verifier.finish()
  return { ...verdict, texts: verdict.problems.map(({ problem }) => problem).join('\n') }
}

const rows = chain(9)
const headAt = (seq: number): AuditHead => {
  const { hash } = rows[seq - 1] as AuditRow
  return { seq, hash }
}

describe('a log key', () => {
  it('is the verifier key of a C2SP signed note', () => {
    const text = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
    const { origin, id } = parseLogKey(text)
    expect([origin, id.toString('hex')]).toEqual(['example.com/foo', '530d903a'])
    const { key } = newSigner()
    expect(parseLogKey(key).text).toBe(key)
  })

  it.each([
    '',
    'registry.example.com',
    'example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2l=',
    'pml-audit-head/v1+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  ])('is refused if it is malformed: %j', (text) => {
    expect(() => parseLogKey(text)).toThrow('Cannot read the log key')
  })

  it('signs exact bytes: another kind, origin, position or hash is another text', () => {
    const head = { seq: 7, hash: 'a'.repeat(64) }
    const text = headText(ORIGIN, head)
    expect(text).toBe(`pml-audit-head/v1\n${ORIGIN}\n7\n${'a'.repeat(64)}\n`)
    expect(checkpointText(ORIGIN, { ...head, at: AT })).toBe(
      `pml-audit-checkpoint/v1\n${ORIGIN}\n7\n${'a'.repeat(64)}\n${AT}\n`,
    )
    const key = parseLogKey(ours.key)
    const signature = ours.sign(text)
    expect(isSignedBy(key, text, signature)).toBe(true)
    expect(isSignedBy(parseLogKey(theirs.key), text, signature)).toBe(false)
    for (const other of [
      headText('other.example.com', head),
      headText(ORIGIN, { ...head, seq: 8 }),
      headText(ORIGIN, { ...head, hash: 'b'.repeat(64) }),
      checkpointText(ORIGIN, { ...head, at: AT }),
    ])
      expect(isSignedBy(key, other, signature)).toBe(false)
    const bytes = Buffer.from(signature, 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const bent = Buffer.from(bytes)
      bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(isSignedBy(key, text, bent.toString('base64'))).toBe(false)
    }
  })
})

describe('a signed export', () => {
  it('verifies with the pinned key and names the key that signed it', () => {
    expect(verdictOf({ rows }, { key: ours.key, expectedHead: headAt(4) })).toMatchObject({
      ok: true,
      warnings: [],
      signedBy: ours.key,
    })
    expect(verdictOf({ rows }, { knownKeys: [theirs.key.replace(ORIGIN, 'x'), ours.key] })).toMatchObject({
      ok: true,
      signedBy: ours.key,
    })
  })

  it('only warns if no key is pinned and all rows are there', () => {
    const { ok, warnings, signedBy } = verdictOf({ rows }, {})
    expect([ok, signedBy]).toEqual([true, null])
    expect(warnings).toEqual([
      { seq: 9, problem: expect.stringContaining(`${ours.key}, which is not pinned`) },
    ])
  })

  it('fails with another key, and the problem names both', () => {
    for (const options of [{ key: ours.key }, { knownKeys: [ours.key] }]) {
      const { ok, texts } = verdictOf({ rows, by: theirs }, options)
      expect(ok).toBe(false)
      expect(texts).toContain(`signed with the key ${theirs.key}, but the pinned key is ${ours.key}`)
    }
  })

  it('fails without its signature unless that is allowed', () => {
    const bare = { rows, endBy: null }
    expect(verdictOf(bare)).toMatchObject({ ok: false, problems: [{ seq: 9 }] })
    expect(verdictOf(bare, { key: ours.key, allowUnsigned: true })).toMatchObject({
      ok: true,
      signedBy: null,
      warnings: [{ seq: 9, problem: expect.stringContaining('the head is not signed') }],
    })
  })

  it('fails when rows after the signature were cut, replaced or swapped', () => {
    const lines = linesOf({ rows })
    const [end = ''] = lines.slice(-1)
    const cut = [...lines.slice(0, 6), end]
    const { signature } = parseAuditLine(end) as { signature: string }
    const fork = chain(4, headAt(5), 'eve')
    const forged = [...lines.slice(0, 6), ...fork.map(printAuditRow)]
    const forgedEnd = printAuditEnd(fork.at(-1) as AuditRow, 9, signature)
    for (const bad of [cut, [...forged, end], [...forged, forgedEnd]]) expect(verdictOf(bad).ok).toBe(false)
    for (const bad of [[...forged, forgedEnd]])
      expect(verdictOf(bad, { key: ours.key, allowUnsigned: true }).ok).toBe(false)
    expect(verdictOf(lines.with(3, lines[4] ?? '').with(4, lines[3] ?? '')).ok).toBe(false)
  })

  it('fails for callers who know keys if it looks older or like the log of another registry', () => {
    const cut = rows.slice(0, 5)
    const older = [
      JSON.stringify({ format: 'pml-audit', version: 1, checkpoint: null }),
      ...cut.map(printAuditRow),
      JSON.stringify({ head: headAt(5), rows: 5 }),
    ]
    const { privateKey } = generateKeyPairSync('ed25519')
    const elsewhere = linesOf({ rows: cut, by: createLogSigner('elsewhere.example.com', privateKey) })
    for (const lines of [older, elsewhere]) {
      expect(verdictOf(lines, { knownKeys: [ours.key] })).toMatchObject({ ok: false, problems: [{ seq: 5 }] })
      expect(verdictOf(lines, { knownKeys: [ours.key], allowUnsigned: true }).ok).toBe(true)
    }
  })

  it('fails if the same key signed it for another origin', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const [here, there] = [ORIGIN, 'other.example.com'].map((origin) => createLogSigner(origin, privateKey))
    const foreign = { rows, keys: [stepOf(here as LogSigner)], by: there as LogSigner }
    expect(verdictOf(foreign, { key: here?.key })).toMatchObject({ ok: false })
    const { texts } = verdictOf({ rows, by: there as LogSigner }, { key: here?.key })
    expect(texts).toContain(`${there?.key}, but the pinned key is ${here?.key}`)
  })

  it('without keys is verified as far as possible', () => {
    const old = [
      JSON.stringify({ format: 'pml-audit', version: 1, checkpoint: null }),
      ...rows.map(printAuditRow),
      JSON.stringify({ head: headAt(9), rows: 9 }),
    ]
    expect(verdictOf(old, {})).toMatchObject({ ok: true, warnings: [{ problem: expect.any(String) }] })
    expect(verdictOf(old).texts).toContain('the head is not signed')
    expect(verdictOf(old, { key: ours.key, allowUnsigned: true }).ok).toBe(true)
  })
})

describe('a checkpoint', () => {
  const checkpoint = headAt(6)
  const rest = rotated(checkpoint, 4)

  it('is trusted if the pinned key signed it', () => {
    expect(verdictOf({ rows: rest, checkpoint }, { key: ours.key, expectedHead: checkpoint })).toMatchObject({
      ok: true,
      firstSeq: 7,
      signedBy: ours.key,
    })
  })

  it('is not trusted unsigned, signed by another key, or without a pinned key', () => {
    const unsigned = verdictOf({ rows: rest, checkpoint, by: null, endBy: ours })
    expect(unsigned.problems).toEqual([
      { seq: 6, problem: expect.stringContaining('the checkpoint is not signed') },
    ])
    const keys = [stepOf(ours)]
    expect(verdictOf({ rows: rest, checkpoint, keys, by: theirs, endBy: ours }).problems).toEqual([
      { seq: 6, problem: 'the checkpoint is not signed with the key of the log' },
    ])
    expect(verdictOf({ rows: rest, checkpoint }, {}).texts).toContain(`${ours.key}, which is not pinned`)
  })

  it('passes with an explicit option unless something contradicts it', () => {
    const unsigned = { rows: rest, checkpoint, by: null, endBy: ours }
    expect(verdictOf(unsigned, { allowUnsigned: true })).toMatchObject({ ok: true })
    expect(verdictOf({ rows: rest, checkpoint }, { allowUnsigned: true })).toMatchObject({ ok: true })
    const wrong = { rows: rest, checkpoint, keys: [stepOf(ours)], by: theirs, endBy: ours }
    expect(verdictOf(wrong, { allowUnsigned: true }).ok).toBe(false)
  })

  it('that was forged after a kept head does not hide that the log was replaced', () => {
    const invented = { seq: 100, hash: 'c'.repeat(64) }
    const forged = rotated(invented, 5, 'eve')
    for (const by of [theirs, null])
      for (const options of [{}, { key: ours.key }, { allowUnsigned: true }])
        expect(
          verdictOf({ rows: forged, checkpoint: invented, by }, { ...options, expectedHead: headAt(9) }).ok,
        ).toBe(false)
  })

  it('after a kept head cannot prove it, and the error says what to do', () => {
    const { ok, problems } = verdictOf({ rows: rest, checkpoint }, { key: ours.key, expectedHead: headAt(3) })
    expect(ok).toBe(false)
    expect(problems).toEqual([{ seq: 3, problem: expect.stringContaining('a head that was taken later') }])
  })

  it('with an old valid signature does not cover rows that were replaced later', () => {
    const forged = rotated(checkpoint, 4, 'eve')
    expect(verdictOf({ rows: forged, checkpoint, by: ours, endBy: theirs }).ok).toBe(false)
    expect(verdictOf({ rows: forged, checkpoint, by: ours, endBy: null }).ok).toBe(false)
    const [end = ''] = linesOf({ rows: rest, checkpoint }).slice(-1)
    const lines = linesOf({ rows: forged, checkpoint })
    const { signature } = parseAuditLine(end) as { signature: string }
    const replayed = lines.with(lines.length - 1, printAuditEnd(forged.at(-1) as AuditRow, 4, signature))
    expect(verdictOf(replayed).texts).toContain('the head is not signed with the key of the log')
  })

  it('fails with another time than it was signed with', () => {
    const lines = linesOf({ rows: rest, checkpoint })
    const moved = lines.with(0, (lines[0] ?? '').replace(AT, '2026-02-02T00:00:00.000Z'))
    expect(verdictOf(moved).ok).toBe(false)
  })
})

describe('a key that was replaced', () => {
  const next = newSigner()
  const step = (from: LogSigner, to: LogSigner, by = from): LogKeyStep => ({
    key: to.key,
    signature: by.sign(successionText(ORIGIN, { from: from.key, to: to.key })),
  })
  const keys = [stepOf(ours), step(ours, next)]

  it('leads to the new key, and the new key verifies alone', () => {
    for (const key of [ours.key, next.key])
      expect(verdictOf({ rows, keys, by: next }, { key })).toMatchObject({ ok: true, signedBy: next.key })
  })

  it('is refused without the signature of the old one, and backwards', () => {
    for (const bad of [
      [stepOf(ours), { key: theirs.key, signature: null }],
      [stepOf(ours), step(ours, theirs, theirs)],
      [stepOf(ours), step(next, theirs)],
    ]) {
      const { ok, texts } = verdictOf({ rows, keys: bad, by: theirs })
      expect(ok).toBe(false)
      expect(texts).toContain('is not signed by the key before it')
    }
    expect(verdictOf({ rows, keys, by: ours }, { key: next.key }).ok).toBe(false)
  })
})
