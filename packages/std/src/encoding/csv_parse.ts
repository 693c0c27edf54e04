export const description = 'Parses CSV (RFC 4180) into one object per row, or into lists of fields'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'CSV text' },
    delimiter: {
      type: 'string',
      enum: [',', ';', '\t', '|'],
      default: ',',
      description: 'What separates fields',
    },
    header: {
      type: 'boolean',
      default: true,
      description: 'Whether the first row names the members of the objects',
    },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function csvParse(args: {
  text: string
  delimiter?: string
  header?: boolean
}): Promise<{ columns: string[]; rows: Record<string, string>[] } | { rows: string[][] }> {
  const { text, delimiter = ',', header = true } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  const delimiters: readonly string[] = inputSchema.properties.delimiter.enum
  if (!delimiters.includes(delimiter))
    throw wrong('delimiter to be a comma, semicolon, tab or bar', JSON.stringify(delimiter))

  const rows = [...rowsOf(text.replace(/^\uFEFF/, ''), delimiter)]
  if (!header) return { rows }
  const [columns = [], ...records] = rows
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined) throw wrong('columns with different names', `'${repeated}' twice`)
  return { columns, rows: records.map((fields, index) => recordOf(columns, fields, index + 2)) }
}

function recordOf(
  columns: readonly string[],
  fields: readonly string[],
  row: number,
): Record<string, string> {
  if (fields.length !== columns.length)
    throw wrong(`${columns.length} fields in row ${row}`, `${fields.length}`)
  return Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? '']))
}

/** One pass; blank lines are no rows. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let fields: string[] = []
  let at = 0
  while (at < text.length) {
    const { field, end } = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at, delimiter)
    fields.push(field)
    at = end
    if (text[at] === delimiter) {
      at++
      if (at < text.length) continue
      fields.push('')
    }
    const newline = /\r\n|\n|\r|$/y
    newline.lastIndex = at
    if (!newline.test(text))
      throw wrong('the end of a field after its closing quote', JSON.stringify(text.slice(at, at + 10)))
    if (fields.length > 1 || field !== '' || text[end - 1] === '"') yield fields
    fields = []
    at = newline.lastIndex
  }
}

function plainAt(text: string, start: number, delimiter: string): { field: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++
  return { field: text.slice(start, end), end }
}

function quotedAt(text: string, start: number): { field: string; end: number } {
  let close = start
  do {
    close = text.indexOf('"', close + 1)
    if (close < 0) throw wrong('a closing quote', `none for '${text.slice(start, start + 20)}'`)
  } while (text[close + 1] === '"' && ++close)
  return { field: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 }
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot parse CSV: expected ${expected}, got ${got}`)
}
