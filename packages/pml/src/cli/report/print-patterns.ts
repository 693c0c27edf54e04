import type { ApprovalReport } from '@pml/core/schemas'
import { alignRight, cut, INDENT, sayMore, widest, type Section, type Sheet } from './sheet.ts'

type Pattern = ApprovalReport['patterns'][number]

const MOST = 10

/** Patterns with how often they were used and how often that was right, as far as specialists said. */
export function printPatterns(patterns: readonly Pattern[], sheet: Sheet): Section {
  if (patterns.length === 0) return []
  const shown = patterns.slice(0, MOST)
  const uses = alignRight(['uses', ...shown.map(({ uses }) => String(uses))])
  const overturned = alignRight(['overturned', ...shown.map(({ overturned }) => String(overturned))])
  const right = alignRight(['right', ...shown.map(shareOf)])
  const notes = uses.map((count, row) => `${count}${INDENT}${overturned[row]}${INDENT}${right[row]}`)
  const room = sheet.width - INDENT.length - widest(notes)
  const names = ['Patterns in force', ...shown.map((pattern) => cut(`${INDENT}${nameOf(pattern)}`, room))]
  const [title = '', ...lines] = names.map((name, row) => `${name.padEnd(room)}${INDENT}${notes[row]}`)
  return [sheet.title(title), ...lines, ...sayMore(patterns.length - MOST)]
}

function nameOf({ kind, type, pattern }: Pattern): string {
  return `${kind} ${type}  ${pattern}`
}

function shareOf({ effectiveness }: Pattern): string {
  return effectiveness === null ? '-' : `${Math.floor(effectiveness * 100)} %`
}
