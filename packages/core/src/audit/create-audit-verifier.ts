import { createAlteredRows } from './altered-rows.ts'
import { genesis, hashOfRow, type AuditHead, type AuditRow } from './audit-row.ts'
import { createFindings, type AuditProblem } from './findings.ts'
import { createMissingRows, printMissing } from './missing-rows.ts'

export interface AuditVerdict {
  readonly ok: boolean
  readonly rows: number
  readonly firstSeq: number | null
  /** Where the log ends: write it down elsewhere, and nobody can cut or rewrite what is before it unseen. */
  readonly head: AuditHead
  readonly problems: readonly AuditProblem[]
  /** Problems beyond the number that is listed. */
  readonly problemsLeftOut: number
  readonly warnings: readonly AuditProblem[]
  /** The pinned key that signed the head, or null where none is pinned or nothing was signed. */
  readonly signedBy: string | null
}

/** Takes the rows of a log one after the other and holds none of them for long. */
interface AuditVerifier {
  /** Before the first row, when older rows were removed. */
  begin(checkpoint: AuditHead | null): void
  row(row: AuditRow): void
  finish(): AuditVerdict
}

export interface VerifierOptions {
  /** A head of this log from an earlier time. */
  readonly expectedHead?: AuditHead | undefined
}

type Before = Pick<ReadonlySet<string>, 'has'>

const anything: Before = { has: () => true }

export function createAuditVerifier({ expectedHead }: VerifierOptions = {}): AuditVerifier {
  const problems = createFindings()
  const warnings = createFindings()
  const missing = createMissingRows()
  const altered = createAlteredRows()
  let start = genesis
  let last: { seq: number; hash: string; at: string } = { ...genesis, at: '' }
  /** What the next row may call the hash before it. */
  let before: Before = new Set([genesis.hash])
  let rows = 0
  let isStartTold = true
  let firstSeq: number | null = null
  let isHeadFound = expectedHead?.seq === genesis.seq && expectedHead.hash === genesis.hash

  function begin(checkpoint: AuditHead | null): void {
    if (!checkpoint) return
    start = checkpoint
    last = { ...checkpoint, at: '' }
    before = new Set([checkpoint.hash])
    isStartTold = false
    isHeadFound ||= isExpected(checkpoint)
  }

  function isExpected({ seq, hash }: AuditHead): boolean {
    return seq === expectedHead?.seq && hash === expectedHead.hash
  }

  /** What is wrong with a row is said once: the row behind it is judged by itself. */
  function row(row: AuditRow): void {
    rows++
    firstSeq ??= row.seq
    const isSound = hashOfRow(row) === row.hash
    if (!isSound) altered.add(row)
    isStartTold ||= isSound && tellsOf(row, start)
    const isNext = placeRow(row, isSound)
    if (isNext && isBackInTime(last.at, row.at))
      warnings.add(row.seq, `its time ${row.at} is before ${last.at}`)
    if (row.seq === expectedHead?.seq && row.hash !== expectedHead.hash)
      problems.add(row.seq, `it is not the row of the expected head, whose hash is ${expectedHead.hash}`)
    if (!isNext) return
    isHeadFound ||= isExpected(row)
    last = row
    before = isSound ? new Set([row.hash]) : anything
  }

  /** Whether the row comes after all rows before it. */
  function placeRow({ seq, prev, hash }: AuditRow, isSound: boolean): boolean {
    const expected = last.seq + 1
    if (seq === expected) {
      if (isSound && !before.has(prev)) problems.add(seq, brokenPrev())
      return true
    }
    if (seq > expected) {
      missing.expect({ from: expected, to: seq - 1 })
      return true
    }
    if (missing.arrive(seq)) problems.add(seq, `it was reordered: it stands behind row ${last.seq}`)
    else if (seq <= start.seq) problems.add(seq, `it was inserted: the log begins after row ${start.seq}`)
    else problems.add(seq, 'it stands here twice: one of the two was inserted')
    if (seq === last.seq) before = new Set([last.hash, hash])
    return false
  }

  function brokenPrev(): string {
    if (last.seq > start.seq)
      return `its prev is not the hash of row ${last.seq}: one of the two was replaced`
    return start.seq === 0
      ? 'its prev is not 64 zeros'
      : `its prev is not the hash of the checkpoint ${start.seq}`
  }

  function finish(): AuditVerdict {
    for (const { seq, problem } of altered.problems()) problems.add(seq, problem)
    for (const range of missing.ranges) problems.add(range.from, `${printMissing(range)}: removed`)
    if (!isStartTold)
      problems.add(start.seq, 'no row tells of the checkpoint: what was before it was cut off')
    if (expectedHead) checkEnd(expectedHead)
    const problemsLeftOut = problems.leftOut + missing.leftOut + altered.leftOut
    const listed = problems.sorted()
    return {
      ok: listed.length === 0,
      rows,
      firstSeq,
      head: { seq: last.seq, hash: last.hash },
      problems: listed,
      problemsLeftOut,
      warnings: warnings.sorted(),
      signedBy: null,
    }
  }

  /** A head that is not in the chain proves that this is not the log it was taken from, or not all of it. */
  function checkEnd({ seq }: AuditHead): void {
    if (isHeadFound) return
    if (seq > last.seq) {
      const cut = { from: last.seq + 1, to: seq }
      problems.add(cut.from, `${printMissing(cut)}: the log was cut off`)
    } else if (seq === start.seq)
      problems.add(seq, `the log begins after row ${seq} with a hash that is not the expected head`)
    else if (seq < start.seq)
      problems.add(
        seq,
        `the expected head is older than the checkpoint ${start.seq} and cannot be found any more; ` +
          'verify with a head that was taken later, and take one more often than the log is rotated',
      )
    else if (!isNamed(seq)) problems.add(seq, 'the expected head cannot be found in the log')
  }

  /** Whether a problem already says why the row of the expected head is not in the chain. */
  function isNamed(seq: number): boolean {
    return problems.has(seq) || missing.ranges.some(({ from, to }) => from <= seq && seq <= to)
  }

  return { begin, row, finish }
}

/** Whoever removes old rows in order leaves a row about it, in the same transaction as the checkpoint. */
function tellsOf({ action, detail }: AuditRow, { seq, hash }: AuditHead): boolean {
  if (action !== 'audit.rotate') return false
  const { checkpoint } = detail as { checkpoint?: Partial<AuditHead> }
  return checkpoint?.seq === seq && checkpoint.hash === hash
}

/** Writers of the same moment commit in any order, and clocks are set right now and then. */
const USUAL_MS = 5 * 60_000

/** Whether `next` is further before `last` than can be explained. */
function isBackInTime(last: string, next: string): boolean {
  return next < last && instantOf(last) - instantOf(next) > USUAL_MS
}

function instantOf(iso: string): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a text, and no clock
  return Date.parse(iso)
}
