import { MOST_FINDINGS } from './findings.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** The expected rows that have not come yet. */
interface MissingRows {
  expect(range: Range): void
  /** Marks a row as found and returns whether it was missing. */
  arrive(seq: number): boolean
  readonly ranges: readonly Range[]
  /** The number of gaps that do not fit into `ranges`. */
  readonly leftOut: number
}

export function createMissingRows(): MissingRows {
  let ranges: Range[] = []
  let leftOut = 0
  return {
    expect: (range) => {
      if (ranges.length < MOST_FINDINGS) ranges.push(range)
      else leftOut++
    },
    arrive: (seq) => {
      const found = ranges.find(({ from, to }) => from <= seq && seq <= to)
      if (!found) return false
      const parts = [
        { from: found.from, to: seq - 1 },
        { from: seq + 1, to: found.to },
      ].filter(({ from, to }) => from <= to)
      ranges = ranges.flatMap((range) => (range === found ? parts : [range]))
      return true
    },
    get ranges() {
      return ranges
    },
    get leftOut() {
      return leftOut
    },
  }
}

/** Each gap is reported at its first row. */
export function printMissing({ from, to }: Range): string {
  return from === to ? 'it is missing' : `it and all rows up to ${to} are missing`
}
