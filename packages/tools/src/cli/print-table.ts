import type { JsonObject } from '../json-schema.ts'
import { heading, type Layout } from './layout.ts'
import { printCell } from './print-cell.ts'

const GAP = '  '
const NARROWEST = 8

/** One line per object, one column per key of any object. Cut only to the width of a terminal. */
export function printTable(rows: readonly JsonObject[], layout: Layout): string[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) =>
    keys.map((key) => printCell(Object.hasOwn(row, key) ? row[key] : undefined)),
  )
  const names = keys.map(printCell)
  const widths = fit(
    names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0))),
    layout.width,
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cut(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd()
  return [heading(line(names), layout), ...cells.map(line)]
}

/** Narrows the widest column until all of them fit. */
function fit(widths: readonly number[], room = Infinity): number[] {
  const fitted = [...widths]
  const total = () => fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length)
  while (total() > room) {
    const widest = fitted.indexOf(Math.max(...fitted))
    const spare = Math.min(total() - room, (fitted[widest] ?? 0) - NARROWEST)
    if (spare <= 0) break
    fitted[widest] = (fitted[widest] ?? 0) - Math.max(1, Math.ceil(spare / 2))
  }
  return fitted
}

function cut(cell: string, width: number): string {
  return cell.length <= width ? cell.padEnd(width) : `${cell.slice(0, width - 1)}…`
}
