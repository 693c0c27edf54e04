export const description = 'Removes the indentation that all lines of a text share, and blank lines around it'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Indented text; lines of only white space do not count' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function dedent(args: { text: string }): Promise<{ text: string }> {
  const { text } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot dedent: expected text to be a string, got ${typeof text}`)

  const lines = text.split(/\r?\n/).map((line) => (line.trim() === '' ? '' : line))
  const first = lines.findIndex((line) => line !== '')
  if (first < 0) return { text: '' }
  const last = lines.findLastIndex((line) => line !== '')
  const kept = lines.slice(first, last + 1)
  const indent = sharedIndent(kept.filter((line) => line !== ''))
  return { text: kept.map((line) => line.slice(indent.length)).join('\n') }
}

/** The same characters, not the same width: a tab is never taken for spaces. */
function sharedIndent(lines: readonly string[]): string {
  let shared = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? ''
  for (const line of lines) {
    while (!line.startsWith(shared)) shared = shared.slice(0, -1)
  }
  return shared
}
