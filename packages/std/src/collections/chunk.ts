export const description = 'Splits a list into lists of a given size, of which the last may be shorter'

export const inputSchema = {
  type: 'object',
  properties: {
    items: { type: 'array', description: 'Items to split' },
    size: { type: 'integer', minimum: 1, description: 'Items in each list' },
  },
  required: ['items', 'size'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function chunk(args: {
  items: unknown[]
  size: number
}): Promise<{ chunks: unknown[][] }> {
  const { items, size } = args
  if (!Array.isArray(items))
    throw new Error(`Cannot chunk: expected items to be an array, got ${typeof items}`)
  if (!Number.isInteger(size) || size < 1) {
    throw new Error(`Cannot chunk: expected size to be an integer from 1, got ${JSON.stringify(size)}`)
  }
  const chunks: unknown[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return { chunks }
}
