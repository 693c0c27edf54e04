import { createAlteredRows } from './altered-rows.ts'
import { genesis, hashOfRow, type AuditHead, type AuditRow } from './audit-row.ts'
import { createFindings, type AuditProblem } from './findings.ts'
import { createMissingRows, printMissing } from './missing-rows.ts'

export interface AuditVerdict {
  readonly ok: boolean
  readonly rows: number
  readonly firstSeq: number | null
  /** The end of the log. With a copy of it elsewhere, nobody can cut or rewrite earlier rows unnoticed. */
  readonly head: AuditHead
  readonly problems: readonly AuditProblem[]
  /** The number of problems that are not listed. */
  readonly problemsLeftOut: number
  readonly warnings: readonly AuditProblem[]
  /** The pinned key that signed the head; null if none is pinned or the log is unsigned. */
  readonly signedBy: string | null
}

/** Reads the rows of a log one by one without keeping them. */
interface AuditVerifier {
  /** Called before the first row, with the checkpoint if older rows were removed. */
  begin(checkpoint: AuditHead | null): void
  row(row: AuditRow): void
  finish(): AuditVerdict
}

export interface VerifierOptions {
  /** An earlier head of this log. */
  readonly expectedHead?: AuditHead | undefined
}

type Before = Pick<ReadonlySet<string>, 'has'>

const anything: Before = { has: () => true }

export function createAuditVerifier({ expectedHead }: VerifierOptions = {}): AuditVerifier {
  return new Verifier(expectedHead)
}

class Verifier implements AuditVerifier {
  readonly #expectedHead: AuditHead | undefined
  readonly #problems = createFindings()
  readonly #warnings = createFindings()
  readonly #missing = createMissingRows()
  readonly #altered = createAlteredRows()
  #start: AuditHead = genesis
  #last: AuditHead & { readonly at: string } = { ...genesis, at: '' }
  /** The hashes that the next row may name as the previous one. */
  #before: Before = new Set([genesis.hash])
  #rows = 0
  #isStartTold = true
  #firstSeq: number | null = null
  #isHeadFound: boolean

  constructor(expectedHead: AuditHead | undefined) {
    this.#expectedHead = expectedHead
    this.#isHeadFound = this.#isExpected(genesis)
  }

  begin(checkpoint: AuditHead | null): void {
    if (!checkpoint) return
    this.#start = checkpoint
    this.#last = { ...checkpoint, at: '' }
    this.#before = new Set([checkpoint.hash])
    this.#isStartTold = false
    this.#isHeadFound ||= this.#isExpected(checkpoint)
  }

  #isExpected({ seq, hash }: AuditHead): boolean {
    return seq === this.#expectedHead?.seq && hash === this.#expectedHead.hash
  }

  /** Reports each broken row once; the next row is judged on its own. */
  row(row: AuditRow): void {
    this.#rows++
    this.#firstSeq ??= row.seq
    const isSound = hashOfRow(row) === row.hash
    if (!isSound) this.#altered.add(row)
    this.#isStartTold ||= isSound && tellsOf(row, this.#start)
    const isNext = this.#placeRow(row, isSound)
    if (isNext && isBackInTime(this.#last.at, row.at))
      this.#warnings.add(row.seq, `its time ${row.at} is before ${this.#last.at}`)
    if (row.seq === this.#expectedHead?.seq && row.hash !== this.#expectedHead.hash)
      this.#problems.add(
        row.seq,
        `it is not the row of the expected head, whose hash is ${this.#expectedHead.hash}`,
      )
    if (!isNext) return
    this.#isHeadFound ||= this.#isExpected(row)
    this.#last = row
    this.#before = isSound ? new Set([row.hash]) : anything
  }

  /** Reports whether the row comes after all earlier rows. */
  #placeRow({ seq, prev, hash }: AuditRow, isSound: boolean): boolean {
    const expected = this.#last.seq + 1
    if (seq === expected) {
      if (isSound && !this.#before.has(prev)) this.#problems.add(seq, this.#brokenPrev())
      return true
    }
    if (seq > expected) {
      this.#missing.expect({ from: expected, to: seq - 1 })
      return true
    }
    if (this.#missing.arrive(seq))
      this.#problems.add(seq, `it was reordered: it comes after row ${this.#last.seq}`)
    else if (seq <= this.#start.seq)
      this.#problems.add(seq, `it was inserted: the log begins after row ${this.#start.seq}`)
    else this.#problems.add(seq, 'it is a duplicate: one of the two rows was inserted')
    if (seq === this.#last.seq) this.#before = new Set([this.#last.hash, hash])
    return false
  }

  #brokenPrev(): string {
    if (this.#last.seq > this.#start.seq)
      return `its prev is not the hash of row ${this.#last.seq}: one of the two was replaced`
    return this.#start.seq === 0
      ? 'its prev is not 64 zeros'
      : `its prev is not the hash of the checkpoint ${this.#start.seq}`
  }

  finish(): AuditVerdict {
    for (const { seq, problem } of this.#altered.problems()) this.#problems.add(seq, problem)
    for (const range of this.#missing.ranges)
      this.#problems.add(range.from, `${printMissing(range)}: removed`)
    if (!this.#isStartTold)
      this.#problems.add(this.#start.seq, 'no row records the checkpoint: the rows before it were cut off')
    if (this.#expectedHead) this.#checkEnd(this.#expectedHead)
    const problemsLeftOut = this.#problems.leftOut + this.#missing.leftOut + this.#altered.leftOut
    const listed = this.#problems.sorted()
    return {
      ok: listed.length === 0,
      rows: this.#rows,
      firstSeq: this.#firstSeq,
      head: { seq: this.#last.seq, hash: this.#last.hash },
      problems: listed,
      problemsLeftOut,
      warnings: this.#warnings.sorted(),
      signedBy: null,
    }
  }

  /** A head that is not in the chain proves that this is another log or an incomplete one. */
  #checkEnd({ seq }: AuditHead): void {
    if (this.#isHeadFound) return
    if (seq > this.#last.seq) {
      const cut = { from: this.#last.seq + 1, to: seq }
      this.#problems.add(cut.from, `${printMissing(cut)}: the log was cut off`)
    } else if (seq === this.#start.seq)
      this.#problems.add(seq, `the log begins after row ${seq} with a hash that is not the expected head`)
    else if (seq < this.#start.seq)
      this.#problems.add(
        seq,
        `the expected head is older than the checkpoint ${this.#start.seq} and cannot be found any more; ` +
          'verify with a head that was taken later, and take one more often than the log is rotated',
      )
    else if (!this.#isNamed(seq)) this.#problems.add(seq, 'the expected head cannot be found in the log')
  }

  /** Reports whether a problem already explains why the row of the expected head is not in the chain. */
  #isNamed(seq: number): boolean {
    return this.#problems.has(seq) || this.#missing.ranges.some(({ from, to }) => from <= seq && seq <= to)
  }
}

/** A proper removal of old rows is recorded in a row of the same transaction as the checkpoint. */
function tellsOf({ action, detail }: AuditRow, { seq, hash }: AuditHead): boolean {
  if (action !== 'audit.rotate') return false
  const { checkpoint } = detail as { checkpoint?: Partial<AuditHead> }
  return checkpoint?.seq === seq && checkpoint.hash === hash
}

/** Concurrent writers commit in any order, and clocks are adjusted. */
const USUAL_MS = 5 * 60_000

/** Reports whether `next` is further before `last` than that explains. */
function isBackInTime(last: string, next: string): boolean {
  return next < last && instantOf(last) - instantOf(next) > USUAL_MS
}

function instantOf(iso: string): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a text, and no clock
  return Date.parse(iso)
}
