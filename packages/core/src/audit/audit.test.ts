import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  checkpointText,
  createAuditFileVerifier,
  createAuditVerifier,
  createLogSigner,
  genesis,
  hashOfRow,
  headText,
  parseAuditHead,
  parseAuditLine,
  printAuditEnd,
  printAuditHeader,
  printAuditRow,
  type AuditHead,
  type AuditRow,
} from './index.ts'

const signer = createLogSigner('registry.example.com', generateKeyPairSync('ed25519').privateKey)
const minute = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()

function chain(length: number, start: AuditHead = genesis): AuditRow[] {
  const rows: AuditRow[] = []
  let { seq, hash: prev } = start
  while (rows.length < length) {
    seq++
    const event = { at: minute(seq), actor: 'ada', action: 'key.create', subject: `k${seq}` }
    const row = { seq, ...event, detail: { name: `key ${seq}`, scopes: ['hook'] }, prev }
    prev = hashOfRow(row)
    rows.push({ ...row, hash: prev })
  }
  return rows
}

function verdictOf(rows: readonly AuditRow[], expectedHead?: AuditHead) {
  const verifier = createAuditVerifier({ expectedHead })
  for (const row of rows) verifier.row(row)
  return verifier.finish()
}

function linesOf(
  rows: readonly AuditRow[],
  checkpoint: (AuditHead & { at: string }) | null = null,
): string[] {
  const { origin, key, sign } = signer
  const head = rows.at(-1) ?? checkpoint ?? genesis
  return [
    printAuditHeader({
      keys: [{ key, signature: null }],
      checkpoint: checkpoint && { ...checkpoint, signature: sign(checkpointText(origin, checkpoint)) },
    }),
    ...rows.map(printAuditRow),
    printAuditEnd(head, rows.length, sign(headText(origin, head))),
  ]
}

function verdictOfLines(lines: readonly string[], expectedHead?: AuditHead) {
  const verifier = createAuditFileVerifier({ expectedHead, key: signer.key })
  for (const line of lines) verifier.line(line)
  return verifier.finish()
}

/** A row with a hash that fits it, as a forger would write it. */
function forged(row: AuditRow, change: Partial<AuditRow>): AuditRow {
  const changed = { ...row, ...change }
  return { ...changed, hash: hashOfRow(changed) }
}

const changed = 'it was changed: its hash is not that of its content'
const without = (rows: readonly AuditRow[], ...seqs: number[]) =>
  rows.filter(({ seq }) => !seqs.includes(seq))

describe('the hash of a row', () => {
  it('can be computed from plain text by anyone: SHA-256 of sorted JSON without spaces', () => {
    const [row] = chain(1)
    const text =
      '{"action":"key.create","actor":"ada","at":"2026-01-01T00:01:00.000Z",' +
      '"detail":{"name":"key 1","scopes":["hook"]},' +
      `"prev":"${'0'.repeat(64)}","seq":1,"subject":"k1"}`
    expect(row?.hash).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('a log', () => {
  const rows = chain(9)
  const [head] = rows.slice(-1)

  it('verifies if it is unchanged', () => {
    expect(verdictOf(rows, head)).toEqual({
      ok: true,
      rows: 9,
      firstSeq: 1,
      head: { seq: 9, hash: head?.hash },
      problems: [],
      problemsLeftOut: 0,
      warnings: [],
      signedBy: null,
    })
  })

  it('verifies if it is empty', () => {
    expect(verdictOf([])).toMatchObject({ ok: true, rows: 0, firstSeq: null, head: genesis })
  })

  it.each<[string, Partial<AuditRow>]>([
    ['actor', { actor: 'eve' }],
    ['action', { action: 'key.revoke' }],
    ['subject', { subject: 'k6' }],
    ['time', { at: minute(4) }],
    ['detail', { detail: { name: 'key 5', scopes: ['admin'] } }],
    ['prev', { prev: 'f'.repeat(64) }],
    ['hash', { hash: 'f'.repeat(64) }],
  ])('names only the row whose %s was changed', (_, change) => {
    const bad = rows.map((row) => (row.seq === 5 ? { ...row, ...change } : row))
    expect(verdictOf(bad).problems).toEqual([{ seq: 5, problem: changed }])
  })

  it('names each of several rows that were changed', () => {
    const bad = rows.map((row) => ([2, 3, 9].includes(row.seq) ? { ...row, actor: 'eve' } : row))
    expect(verdictOf(bad).problems.map(({ seq }) => seq)).toEqual([2, 3, 9])
  })

  it('names a changed row with a new hash, by the next row', () => {
    const bad = rows.map((row) => (row.seq === 5 ? forged(row, { actor: 'eve' }) : row))
    expect(verdictOf(bad).problems).toEqual([
      { seq: 6, problem: 'its prev is not the hash of row 5: one of the two was replaced' },
    ])
  })

  it('names rows that were removed', () => {
    expect(verdictOf(without(rows, 4, 6, 7)).problems).toEqual([
      { seq: 4, problem: 'it is missing: removed' },
      { seq: 6, problem: 'it and all rows up to 7 are missing: removed' },
    ])
    expect(verdictOf(without(rows, 1)).problems).toEqual([{ seq: 1, problem: 'it is missing: removed' }])
  })

  it('names reordered rows', () => {
    const order = [1, 2, 5, 3, 4, 6, 7, 8, 9]
    expect(verdictOf(order.flatMap((seq) => rows[seq - 1] ?? [])).problems).toEqual([
      { seq: 3, problem: 'it was reordered: it comes after row 5' },
      { seq: 4, problem: 'it was reordered: it comes after row 5' },
    ])
  })

  it.each<[string, (row: AuditRow, other: AuditRow) => AuditRow]>([
    ['their content', ({ seq, prev, hash }, other) => ({ ...other, seq, prev, hash })],
    ['everything but their numbers', ({ seq }, other) => ({ ...other, seq })],
    ['their content and their hashes', ({ seq, prev }, other) => ({ ...other, seq, prev })],
  ])('names only the rows that exchanged %s', (_, exchange) => {
    const exchanged = rows.map((row) => {
      const other = { 4: rows[5], 6: rows[3] }[row.seq]
      return other ? exchange(row, other) : row
    })
    const { problems } = verdictOf(exchanged)
    expect(problems.map(({ seq }) => seq)).toEqual([4, 6])
    for (const { problem } of problems) expect(problem).toMatch(/^it was reordered: .*row (4|6)/)
  })

  it.each(['before', 'behind'])('names a row that was inserted %s the one whose place it takes', (where) => {
    const [, , third] = rows
    const fifth = rows[4] as AuditRow
    const fake = forged(third as AuditRow, { seq: 5, actor: 'eve', prev: fifth.prev })
    const both = where === 'before' ? [fake, fifth] : [fifth, fake]
    expect(verdictOf(rows.flatMap((row) => (row.seq === 5 ? both : [row]))).problems).toEqual([
      { seq: 5, problem: 'it is a duplicate: one of the two rows was inserted' },
    ])
  })

  it('names a duplicate row anywhere', () => {
    expect(verdictOf([...rows, rows[2] as AuditRow]).problems).toEqual([
      { seq: 3, problem: 'it is a duplicate: one of the two rows was inserted' },
    ])
  })

  it('cannot be cut, rewritten or continued differently if its head is known', () => {
    expect(verdictOf(rows.slice(0, 6)).ok).toBe(true)
    expect(verdictOf(rows.slice(0, 6), head).problems).toEqual([
      { seq: 7, problem: 'it and all rows up to 9 are missing: the log was cut off' },
    ])
    const rewritten = chain(9).map((row, index) => (index === 0 ? forged(row, { actor: 'eve' }) : row))
    for (let at = 1; at < 9; at++)
      rewritten[at] = forged(rewritten[at] as AuditRow, { prev: rewritten[at - 1]?.hash ?? '' })
    expect(verdictOf(rewritten).ok).toBe(true)
    expect(verdictOf(rewritten, head).problems).toMatchObject([{ seq: 9 }])
    expect(verdictOf([...rows, ...chain(2, head)], head).ok).toBe(true)
  })

  it('only warns of time that runs backwards', () => {
    const [first, ...rest] = chain(1)
    const late = forged(first as AuditRow, { at: minute(30) })
    const back = forged(late, { seq: 2, prev: late.hash, at: minute(10) })
    const soon = forged(late, { seq: 3, prev: back.hash, at: minute(6) })
    expect(verdictOf([late, back, soon, ...rest])).toMatchObject({
      ok: true,
      warnings: [{ seq: 2, problem: `its time ${minute(10)} is before ${minute(30)}` }],
    })
  })

  it('lists a limited number of problems and counts the others', () => {
    const bad = chain(500).map((row) => ({ ...row, actor: 'eve' }))
    expect(verdictOf(bad)).toMatchObject({ ok: false, problemsLeftOut: 400 })
    expect(verdictOf(bad).problems).toHaveLength(100)
    const odd = chain(500).filter(({ seq }) => seq % 2 === 1)
    expect(verdictOf(odd)).toMatchObject({ ok: false, problemsLeftOut: 149 })
  })
})

describe('a log that begins at a checkpoint', () => {
  const old = chain(4)
  const { seq, hash } = old[3] as AuditRow
  const checkpoint = { seq, hash, at: minute(100) }
  const told = { action: 'audit.rotate', subject: 'audit', detail: { checkpoint: { seq, hash } } }
  const fifth = forged(chain(1, { seq, hash })[0] as AuditRow, told)
  const rest = [fifth, ...chain(4, fifth)]
  const all = [...old, ...rest]

  it('verifies from that checkpoint', () => {
    expect(verdictOfLines(linesOf(rest, checkpoint), all[8])).toMatchObject({
      ok: true,
      rows: 5,
      firstSeq: 5,
    })
  })

  it('fails if no row records the checkpoint, as when the beginning was cut off', () => {
    const untold = chain(9)
    const { seq, hash } = untold[5] as AuditRow
    const problem = 'no row records the checkpoint: the rows before it were cut off'
    for (const kept of [untold.slice(6), []]) {
      expect(verdictOfLines(linesOf(kept, { seq, hash, at: minute(100) })).problems).toEqual([
        { seq: 6, problem },
      ])
    }
  })

  it('fails from another checkpoint', () => {
    const other = { ...checkpoint, hash: 'f'.repeat(64) }
    expect(verdictOfLines(linesOf(rest, other)).problems).toEqual([
      { seq: 4, problem: 'no row records the checkpoint: the rows before it were cut off' },
      { seq: 5, problem: 'its prev is not the hash of the checkpoint 4' },
    ])
    expect(verdictOfLines(linesOf(rest)).problems).toEqual([
      { seq: 1, problem: 'it and all rows up to 4 are missing: removed' },
    ])
    expect(verdictOfLines(linesOf(all, checkpoint)).problems[0]).toEqual({
      seq: 1,
      problem: 'it was inserted: the log begins after row 4',
    })
  })

  it('is compared with a head at the checkpoint, and fails with an older head', () => {
    expect(verdictOfLines(linesOf(rest, checkpoint), all[3])).toMatchObject({ ok: true, warnings: [] })
    expect(verdictOfLines(linesOf(rest, checkpoint), { seq, hash: 'f'.repeat(64) }).problems).toEqual([
      { seq: 4, problem: 'the log begins after row 4 with a hash that is not the expected head' },
    ])
    expect(verdictOfLines(linesOf(rest, checkpoint), all[1])).toMatchObject({
      ok: false,
      problems: [{ seq: 2, problem: expect.stringContaining('cannot be found any more') }],
    })
  })
})

describe('an export', () => {
  const rows = chain(5)
  const lines = linesOf(rows)

  it('verifies if it is complete, also with empty lines and other spaces', () => {
    const spaced = lines.map((line) => `${JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', ' ')}\r`)
    expect(verdictOfLines(lines)).toMatchObject({ ok: true, rows: 5 })
    expect(verdictOfLines([...spaced, ''])).toMatchObject({ ok: true, rows: 5 })
  })

  it('reports a missing first or last line', () => {
    expect(verdictOfLines(lines.slice(0, -1)).problems).toEqual([
      { seq: null, problem: 'the last line is missing: the file is cut off after row 5' },
    ])
    expect(verdictOfLines(lines.slice(1)).problems[0]).toEqual({
      seq: null,
      problem: 'the first line is missing',
    })
    expect(verdictOfLines([]).ok).toBe(false)
  })

  it('reports a last line that does not fit or is not last', () => {
    const [end = ''] = lines.slice(-1)
    expect(verdictOfLines([...lines.slice(0, 5), end]).problems.map(({ problem }) => problem)).toEqual([
      'the last line says 5 rows, but there are 4',
      'it is the end according to the last line, but the log ends with row 4',
    ])
    expect(verdictOfLines([...lines, lines[2] ?? '']).problems).toEqual([
      { seq: null, problem: 'line 8 comes after the last line' },
    ])
    expect(verdictOfLines([...lines.slice(0, 3), lines[0] ?? '', ...lines.slice(3)]).problems).toEqual([
      { seq: null, problem: 'line 4 is a second header' },
    ])
  })

  it.each<[string, (line: string) => string]>([
    ['is no JSON', (line) => line.slice(0, -1)],
    ['is another value', () => '[]'],
    ['has a member that no hash covers', (line) => line.replace('{', '{"note":"fine",')],
    ['has a member twice', (line) => line.replace('{', '{"actor":"eve",')],
    ['lacks a member', (line) => line.replace('"actor":"ada",', '')],
    ['has a time of another form', (line) => line.replace('.000Z', 'Z')],
    ['has a number that is none', (line) => line.replace('"seq":3', '"seq":"3"')],
  ])('names a line that %s', (_, spoil) => {
    const bad = lines.map((line, index) => (index === 3 ? spoil(line) : line))
    const { problems } = verdictOfLines(bad)
    expect(problems[0]?.problem).toMatch(/^line 4: Cannot read /)
    expect(problems).toContainEqual({ seq: 3, problem: 'it is missing: removed' })
  })

  it('is refused in another version', () => {
    const bad = [(lines[0] ?? '').replace('"version":2', '"version":3'), ...lines.slice(1)]
    expect(verdictOfLines(bad).problems[0]?.problem).toBe(
      'line 1: Cannot read the line: version: expected 2, got 3',
    )
  })

  it('parses to what was printed', () => {
    const [row] = rows
    expect(parseAuditLine(printAuditRow(row as AuditRow))).toEqual({ kind: 'row', row })
    const signature = signer.sign('x')
    expect(parseAuditLine(printAuditEnd({ seq: 5, hash: 'a'.repeat(64) }, 5, signature))).toEqual({
      kind: 'end',
      head: { seq: 5, hash: 'a'.repeat(64) },
      rows: 5,
      signature,
    })
  })
})

describe('a head that was written down', () => {
  it('is seq:hash', () => {
    expect(parseAuditHead(`12:${'a'.repeat(64)}`)).toEqual({ seq: 12, hash: 'a'.repeat(64) })
    for (const text of ['', '12', `x:${'a'.repeat(64)}`, `1:${'A'.repeat(64)}`, `1:${'a'.repeat(63)}`])
      expect(() => parseAuditHead(text)).toThrow('expected <seq>:<64 hex characters>')
  })
})
