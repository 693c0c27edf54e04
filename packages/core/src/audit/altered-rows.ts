import { hashOfRow, type AuditRow } from './audit-row.ts'
import { MOST_FINDINGS, type AuditProblem } from './findings.ts'

/** Finds rows whose hash does not fit their content: changed or moved. */
interface AlteredRows {
  add(row: AuditRow): void
  problems(): AuditProblem[]
  readonly leftOut: number
}

export function createAlteredRows(): AlteredRows {
  const rows: AuditRow[] = []
  let leftOut = 0
  return {
    add: (row) => {
      if (rows.length < MOST_FINDINGS) rows.push(row)
      else leftOut++
    },
    problems: () => problemsOf(rows),
    get leftOut() {
      return leftOut
    },
  }
}

function problemsOf(rows: readonly AuditRow[]): AuditProblem[] {
  const problems = new Map(
    rows.map(({ seq }) => [seq, 'it was changed: its hash is not that of its content']),
  )
  for (const row of rows) {
    const place = rows.find((other) => other !== row && belongsAt(row, other))
    if (!place) continue
    problems.set(row.seq, `it was reordered: row ${place.seq} is in its place`)
    if (!problems.get(place.seq)?.startsWith('it was reordered'))
      problems.set(place.seq, `it was reordered: row ${place.seq} is in the place of row ${row.seq}`)
  }
  return [...problems].map(([seq, problem]) => ({ seq, problem }))
}

/** Reports whether the row fits this position, with none, some or all of its links exchanged. */
function belongsAt(row: AuditRow, { seq, prev, hash }: AuditRow): boolean {
  const there = hashOfRow({ ...row, seq, prev })
  return there === hash || there === row.hash || hashOfRow({ ...row, seq }) === row.hash
}
