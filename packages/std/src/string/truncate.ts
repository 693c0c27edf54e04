export const description =
  'Shortens text to a number of characters as a reader counts them, never cutting one in half'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to shorten' },
    length: {
      type: 'integer',
      minimum: 0,
      description: 'Most characters of the result, the ellipsis included',
    },
    ellipsis: { type: 'string', default: '…', description: 'What stands for the part that was cut' },
    keepWords: {
      type: 'boolean',
      default: false,
      description: 'Whether the cut goes back to the end of a word',
    },
  },
  required: ['text', 'length'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function truncate(args: {
  text: string
  length: number
  ellipsis?: string
  keepWords?: boolean
}): Promise<{ text: string; truncated: boolean }> {
  const { text, length, ellipsis = '…', keepWords = false } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  if (!Number.isInteger(length) || length < 0)
    throw wrong('length to be an integer from 0', JSON.stringify(length))
  if (typeof ellipsis !== 'string') throw wrong('ellipsis to be a string', typeof ellipsis)

  const room = length - firstOf(ellipsis, length + 1).length
  if (room < 0) throw wrong(`ellipsis to fit into ${length} characters`, `'${ellipsis}'`)
  const found = firstOf(text, length + 1)
  if (found.length <= length) return { text, truncated: false }
  const kept = found.slice(0, room).join('')
  return { text: (keepWords ? atWordEnd(kept, found[room]) : kept) + ellipsis, truncated: true }
}

/** Lazily, so that a short beginning of a huge text costs little. */
function firstOf(text: string, count: number): string[] {
  const characters: string[] = []
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (characters.push(segment) >= count) break
  }
  return characters
}

function atWordEnd(kept: string, next = ''): string {
  if (/^\s/.test(next)) return kept.trimEnd()
  const space = kept.search(/\s\S*$/)
  return space < 0 ? kept : kept.slice(0, space).trimEnd()
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot truncate: expected ${expected}, got ${got}`)
}
