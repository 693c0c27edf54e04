import type { ApprovalReport } from '@pml/core/schemas'
import { INDENT, type Section, type Sheet } from './report-sheet.ts'

const DAY_MS = 86_400_000
const NONE = '·'
const steps = '▁▂▃▄▅▆▇█'

/** The number of blocked changes per day; a mark covers several days if there are more days than columns. */
export function printSparkline(report: ApprovalReport, sheet: Sheet): Section {
  if (report.totals.blocked === 0) return []
  const counts = countsOf(report)
  const daysToAMark = Math.ceil(counts.length / (sheet.width - INDENT.length))
  const marks = sumsOf(counts, daysToAMark)
  const most = Math.max(...marks)
  const each = daysToAMark === 1 ? 'day' : `${daysToAMark} days`
  return [
    sheet.title(`Blocked per ${each}, ${most} at most`),
    `${INDENT}${marks.map((count) => markOf(count, most)).join('')}`,
    `${INDENT}${rulerOf(report, marks.length)}`,
  ]
}

/** The number for every day in the range, in order. */
function countsOf({ since, until, days }: ApprovalReport): number[] {
  const blocked = new Map(days.map(({ day, blocked }) => [day, blocked]))
  const first = Date.parse(since.slice(0, 10))
  const length = (Date.parse(until.slice(0, 10)) - first) / DAY_MS + 1
  return Array.from({ length }, (_, index) => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10)
    return blocked.get(day) ?? 0
  })
}

function sumsOf(counts: readonly number[], size: number): number[] {
  return Array.from({ length: Math.ceil(counts.length / size) }, (_, index) =>
    counts.slice(index * size, (index + 1) * size).reduce((sum, count) => sum + count, 0),
  )
}

/** The mark for 0. */
function markOf(count: number, most: number): string {
  return count === 0 ? NONE : steps.charAt(Math.ceil((count / most) * steps.length) - 1)
}

/** The first and the last day, below their marks if there is room. */
function rulerOf({ since, until }: ApprovalReport, width: number): string {
  const [first, last] = [since.slice(5, 10), until.slice(5, 10)]
  return `${first}${last.padStart(Math.max(last.length + 2, width - first.length))}`
}
