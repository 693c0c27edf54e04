export const description = 'Makes a lower-case name for URLs and files out of any text'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to make the name from' },
    separator: {
      type: 'string',
      enum: ['-', '_', '.'],
      default: '-',
      description: 'What stands between words',
    },
    unicode: { type: 'boolean', default: false, description: 'Whether letters outside of ASCII are kept' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

/** Letters that Unicode does not decompose into a plain letter and a mark. */
const PLAIN = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
)

export default async function slugify(args: {
  text: string
  separator?: '-' | '_' | '.'
  unicode?: boolean
}): Promise<{ slug: string }> {
  const { text, separator = '-', unicode = false } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot make slug: expected text to be a string, got ${typeof text}`)
  if (!inputSchema.properties.separator.enum.includes(separator)) {
    throw new Error(`Cannot make slug: expected separator to be -, _ or ., got ${JSON.stringify(separator)}`)
  }
  const words = unicode
    ? text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{M}\p{N}]+/gu)
    : plain(text).match(/[a-z0-9]+/g)
  return { slug: (words ?? []).join(separator) }
}

/** An apostrophe joins: it's is one word. */
function plain(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’]/gu, '')
  return letters.replaceAll(/[^ -~]/gu, (letter) => PLAIN.get(letter) ?? letter)
}
