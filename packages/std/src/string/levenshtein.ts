export const description =
  'Counts the edits between two texts (Levenshtein distance) and rates how similar they are'

export const inputSchema = {
  type: 'object',
  properties: {
    a: { type: 'string', maxLength: 5000, description: 'One text' },
    b: { type: 'string', maxLength: 5000, description: 'The other text' },
  },
  required: ['a', 'b'],
  additionalProperties: false,
} as const

export const permissions = {}

/** The work is the product of both lengths. */
const LIMIT_LENGTH = 5000

export default async function levenshtein(args: {
  a: string
  b: string
}): Promise<{ distance: number; similarity: number }> {
  const a = charactersOf('a', args.a)
  const b = charactersOf('b', args.b)
  const distance = distanceBetween(a, b)
  const longest = Math.max(a.length, b.length)
  return { distance, similarity: longest === 0 ? 1 : 1 - distance / longest }
}

/** Code points in one normal form: é is one character however it was typed. */
function charactersOf(name: string, text: unknown): string[] {
  if (typeof text !== 'string')
    throw new Error(`Cannot compare: expected ${name} to be a string, got ${typeof text}`)
  if (text.length <= LIMIT_LENGTH) return [...text.normalize('NFC')]
  throw new Error(
    `Cannot compare: expected ${name} to have a length of at most ${LIMIT_LENGTH}, got ${text.length}`,
  )
}

function distanceBetween(a: readonly string[], b: readonly string[]): number {
  let row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of a.entries()) {
    const next = new Uint32Array(row.length)
    next[0] = i + 1
    for (const [j, right] of b.entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next[j + 1] = Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? 0
}
