export const description = 'Prints objects as a Markdown table with aligned columns'

export const inputSchema = {
  type: 'object',
  properties: {
    rows: {
      type: 'array',
      items: { type: 'object' },
      description: 'Objects; nested values are printed as JSON',
    },
    columns: {
      type: 'array',
      items: { type: 'string' },
      description: 'Members to print, in this order; without it all members, in order of first appearance',
    },
  },
  required: ['rows'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function table(args: {
  rows: object[]
  columns?: string[]
}): Promise<{ markdown: string }> {
  const { rows } = args
  if (!Array.isArray(rows)) throw wrong('rows to be an array', typeof rows)
  const bad = rows.findIndex((row) => typeof row !== 'object' || row === null || Array.isArray(row))
  if (bad >= 0) throw wrong(`rows[${bad}] to be an object`, JSON.stringify(rows[bad]))
  const { columns = [...new Set(rows.flatMap((row) => Object.keys(row)))] } = args
  if (!Array.isArray(columns)) throw wrong('columns to be an array', typeof columns)
  if (columns.length === 0) return { markdown: '' }

  const valueOf = (row: object, column: string): unknown =>
    Object.hasOwn(row, column) ? Reflect.get(row, column) : null
  const cells = [columns, ...rows.map((row) => columns.map((column) => valueOf(row, column)))].map((row) =>
    row.map(print),
  )
  const widths = columns.map((_, index) =>
    cells.reduce((width, row) => Math.max(width, lengthOf(row[index])), 3),
  )
  const isNumeric = columns.map(
    (column) => rows.length > 0 && rows.every((row) => typeof valueOf(row, column) === 'number'),
  )

  const lines = cells.map((row) => row.map((cell, index) => align(cell, widths[index], isNumeric[index])))
  const rule = widths.map((width, index) =>
    isNumeric[index] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  const [header = [], ...body] = lines
  return { markdown: [header, rule, ...body].map((row) => `| ${row.join(' | ')} |\n`).join('') }
}

/** On one line, with no bar that would end the cell. */
function print(value: unknown): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\r?\n/g, '<br>')
}

function align(cell: string, width = 0, isNumeric = false): string {
  const space = ' '.repeat(Math.max(0, width - lengthOf(cell)))
  return isNumeric ? space + cell : cell + space
}

function lengthOf(cell = ''): number {
  return [...cell].length
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot print table: expected ${expected}, got ${got}`)
}
