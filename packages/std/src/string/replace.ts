export const description = 'Replaces a literal text in a text and tells how often it did'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text to change' },
    find: { type: 'string', minLength: 1, description: 'What to replace, taken literally' },
    replacement: { type: 'string', description: 'What to put in its place, taken literally' },
    expectedCount: {
      type: 'integer',
      minimum: 0,
      description: 'If given, any other number of places is an error',
    },
  },
  required: ['text', 'find', 'replacement'],
  additionalProperties: false,
} as const

export const permissions = {}

const LIMIT_LENGTH = 50_000_000

export default async function replace(args: {
  text: string
  find: string
  replacement: string
  expectedCount?: number
}): Promise<{ text: string; count: number }> {
  const { text, find, replacement, expectedCount } = args
  for (const name of ['text', 'find', 'replacement'] as const) {
    if (typeof args[name] !== 'string') throw wrong(`${name} to be a string`, typeof args[name])
  }
  if (find === '') throw wrong('find to hold at least one character', 'none')

  const parts = text.split(find)
  const count = parts.length - 1
  if (expectedCount !== undefined && count !== expectedCount) throw wrong(`${expectedCount} places`, count)
  const length = text.length + count * (replacement.length - find.length)
  if (length > LIMIT_LENGTH) throw wrong(`a result of at most ${LIMIT_LENGTH} characters`, length)
  return { text: parts.join(replacement), count }
}

function wrong(expected: string, got: string | number): Error {
  return new Error(`Cannot replace: expected ${expected}, got ${got}`)
}
