export const description = 'Prints objects as CSV (RFC 4180) with a header row'

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
    delimiter: {
      type: 'string',
      enum: [',', ';', '\t', '|'],
      default: ',',
      description: 'What separates fields',
    },
  },
  required: ['rows'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function csvFormat(args: {
  rows: object[]
  columns?: string[]
  delimiter?: string
}): Promise<{ text: string }> {
  const { rows, delimiter = ',' } = args
  if (!Array.isArray(rows)) throw wrong('rows to be an array', typeof rows)
  const bad = rows.findIndex((row) => typeof row !== 'object' || row === null || Array.isArray(row))
  if (bad >= 0) throw wrong(`rows[${bad}] to be an object`, JSON.stringify(rows[bad]))
  const { columns = [...new Set(rows.flatMap((row) => Object.keys(row)))] } = args
  if (!Array.isArray(columns)) throw wrong('columns to be an array', typeof columns)
  const delimiters: readonly string[] = inputSchema.properties.delimiter.enum
  if (!delimiters.includes(delimiter))
    throw wrong('delimiter to be a comma, semicolon, tab or bar', JSON.stringify(delimiter))

  const records = rows.map((row) =>
    columns.map((column) => (Object.hasOwn(row, column) ? Reflect.get(row, column) : null)),
  )
  const lines = [columns, ...records].map((fields) =>
    fields.map((field) => print(field, delimiter)).join(delimiter),
  )
  return { text: columns.length === 0 ? '' : `${lines.join('\r\n')}\r\n` }
}

function print(value: unknown, delimiter: string): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot format CSV: expected ${expected}, got ${got}`)
}
