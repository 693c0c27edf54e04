export const description =
  'Rewrites a name as camelCase, PascalCase, snake_case, kebab-case, CONSTANT_CASE or words'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Name or words in any of these styles' },
    to: {
      type: 'string',
      enum: ['camel', 'pascal', 'snake', 'kebab', 'constant', 'title', 'sentence'],
      description: 'Style of the result',
    },
  },
  required: ['text', 'to'],
  additionalProperties: false,
} as const

export const permissions = {}

const STYLES = new Map<string, (words: string[]) => string>([
  ['camel', (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join('')],
  ['pascal', (words) => words.map(capital).join('')],
  ['snake', (words) => words.join('_')],
  ['kebab', (words) => words.join('-')],
  ['constant', (words) => words.join('_').toUpperCase()],
  ['title', (words) => words.map(capital).join(' ')],
  ['sentence', (words) => capital(words.join(' '))],
])

export default async function convertCase(args: { text: string; to: string }): Promise<{ text: string }> {
  const { text, to } = args
  if (typeof text !== 'string')
    throw new Error(`Cannot convert case: expected text to be a string, got ${typeof text}`)
  const style = STYLES.get(to)
  if (!style) {
    const known = [...STYLES.keys()].join(', ')
    throw new Error(`Cannot convert case: expected to to be one of ${known}, got ${JSON.stringify(to)}`)
  }
  return { text: style(wordsOf(text)) }
}

/** HTTPServer2Go is http, server2, go: a run of capitals ends before the one that starts a word. */
const WORD =
  /\p{Lu}?\p{Ll}[\p{Ll}\p{M}\p{N}]*|\p{Lu}[\p{Lu}\p{M}\p{N}]*(?!\p{Ll})|[\p{Lo}\p{Lm}\p{M}\p{N}]+/gu

function wordsOf(text: string): string[] {
  return (text.normalize('NFC').match(WORD) ?? []).map((word) => word.toLowerCase())
}

function capital(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('')
}
