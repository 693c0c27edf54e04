import { printable } from './layout.ts'

/** Prints a value in one line. */
export function printCell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.length === 0) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.map(printCell).join(', ')
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number)
  return printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
}
