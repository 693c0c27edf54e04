import type { JsonObject } from '../json-schema.ts'
import { heading, type Layout, printable } from './layout.ts'
import { printCell } from './print-cell.ts'
import { printTable } from './print-table.ts'

/** Prints an output for a person: short values in lines, lists of objects as tables, long text last and unchanged. */
export function printOutput(output: JsonObject, layout: Layout): string {
  const entries = Object.entries(output).filter(([, value]) => value !== undefined)
  const texts = entries.filter(([, value]) => isLongText(value))
  const tables = entries.filter(([, value]) => isTable(value))
  const fields = entries.filter(([, value]) => !isLongText(value) && !isTable(value))
  const blocks = [
    printFields(fields),
    ...tables.map(([key, rows]) => [title(key, layout), ...printTable(rows as JsonObject[], layout)]),
    ...texts.map(([key, text]) => [...(texts.length > 1 ? [title(key, layout)] : []), printText(text)]),
  ]
  const filled = blocks.filter((block) => block.length > 0).map((block) => block.join('\n'))
  return filled.length === 0 ? 'done\n' : `${filled.join('\n\n').replace(/\n$/, '')}\n`
}

function isLongText(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n')
}

function isTable(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => row !== null && typeof row === 'object' && !Array.isArray(row))
  )
}

function printFields(fields: readonly [string, unknown][]): string[] {
  const left = Math.max(0, ...fields.map(([key]) => printCell(key).length))
  return fields.map(([key, value]) => `${printCell(key).padEnd(left)}  ${printCell(value)}`)
}

function printText(text: unknown): string {
  return printable(String(text))
}

function title(key: string, layout: Layout): string {
  return heading(`${printCell(key)}:`, layout)
}
