/** A problem and its row; `seq` is null for problems without a row. */
export interface AuditProblem {
  readonly seq: number | null
  readonly problem: string
}

/** A bounded list of problems. */
export interface Findings {
  add(seq: number | null, problem: string): void
  /** Reports whether this row has a problem. */
  has(seq: number): boolean
  /** The findings, sorted by row. */
  sorted(): AuditProblem[]
  readonly leftOut: number
}

export const MOST_FINDINGS = 100

export function createFindings(): Findings {
  const kept: AuditProblem[] = []
  let leftOut = 0
  return {
    add: (seq, problem) => {
      if (kept.length < MOST_FINDINGS) kept.push({ seq, problem })
      else leftOut++
    },
    has: (seq) => kept.some((one) => one.seq === seq),
    sorted: () => kept.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0)),
    get leftOut() {
      return leftOut
    },
  }
}
