export const description = 'Fills {{name}} and {{user.name}} placeholders of a text with values'

export const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Text with placeholders in double braces' },
    values: { type: 'object', description: 'Values by name; objects and arrays are printed as JSON' },
    missing: {
      type: 'string',
      enum: ['error', 'keep', 'empty'],
      default: 'error',
      description: 'What to do with a placeholder that has no value',
    },
  },
  required: ['text', 'values'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function template(args: {
  text: string
  values: object
  missing?: 'error' | 'keep' | 'empty'
}): Promise<{ text: string }> {
  const { text, values, missing = 'error' } = args
  if (typeof text !== 'string') throw wrong('text to be a string', typeof text)
  if (typeof values !== 'object' || values === null)
    throw wrong('values to be an object', JSON.stringify(values))
  if (!inputSchema.properties.missing.enum.includes(missing)) {
    throw wrong('missing to be error, keep or empty', JSON.stringify(missing))
  }

  const filled = text.replaceAll(/\{\{([^{}]*)\}\}/g, (placeholder: string, inner: string) => {
    const name = inner.trim()
    const value = find(values, name.split('.'))
    if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value)
    if (missing === 'error') throw wrong(`values to have '${name}'`, 'none')
    return missing === 'keep' ? placeholder : ''
  })
  return { text: filled }
}

/** Own members only: constructor and __proto__ are names like any other. */
function find(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return find(Reflect.get(value, key), rest)
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot fill template: expected ${expected}, got ${got}`)
}
