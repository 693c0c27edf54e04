export const description =
  'Counts words, characters, lines, sentences and the minutes it takes to read a text'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 2000000, description: 'Text to count, in any language' },
    wordsPerMinute: { type: 'integer', minimum: 1, default: 230, description: 'Speed of the reader' },
  },
  required: ['text'],
  additionalProperties: false,
} as const

export const permissions = {}

const LIMIT_LENGTH = 2_000_000

export default async function wordCount(args: {
  text: string
  wordsPerMinute?: number
}): Promise<{ words: number; characters: number; lines: number; sentences: number; readingMinutes: number }> {
  const { text, wordsPerMinute = 230 } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  if (text.length > LIMIT_LENGTH) throw wrong(`text to have a length of at most ${LIMIT_LENGTH}`, text.length)
  if (!Number.isInteger(wordsPerMinute) || wordsPerMinute < 1) {
    throw wrong('wordsPerMinute to be an integer from 1', JSON.stringify(wordsPerMinute))
  }

  const words = count(text, 'word', (part) => part.isWordLike === true)
  return {
    words,
    characters: count(text, 'grapheme', () => true),
    lines: text === '' ? 0 : text.replace(/\r?\n$/, '').split('\n').length,
    sentences: count(text, 'sentence', (part) => part.segment.trim() !== ''),
    readingMinutes: Math.ceil(words / wordsPerMinute),
  }
}

function count(
  text: string,
  granularity: 'word' | 'grapheme' | 'sentence',
  counts: (part: Intl.SegmentData) => boolean,
): number {
  let total = 0
  for (const part of new Intl.Segmenter('en', { granularity }).segment(text)) if (counts(part)) total++
  return total
}

function wrong(expected: string, got: string | number): Error {
  return new Error(`Cannot count words: expected ${expected}, got ${got}`)
}
