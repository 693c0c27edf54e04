export const description = 'Joins lists position by position: the first items together, then the second ones'

export const inputSchema = {
  type: 'object',
  properties: {
    lists: { type: 'array', items: { type: 'array' }, maxItems: 100, description: 'Lists to join' },
    longest: {
      type: 'boolean',
      default: false,
      description: 'Whether to go on to the end of the longest list, with null for what is missing',
    },
  },
  required: ['lists'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function zip(args: {
  lists: unknown[][]
  longest?: boolean
}): Promise<{ rows: unknown[][] }> {
  const { lists, longest = false } = args
  if (!Array.isArray(lists) || lists.length > 100) {
    throw new Error('Cannot zip: expected lists to be an array of at most 100 arrays')
  }
  const bad = lists.findIndex((list) => !Array.isArray(list))
  if (bad >= 0) throw new Error(`Cannot zip: expected lists[${bad}] to be an array, got ${typeof lists[bad]}`)
  if (lists.length === 0) return { rows: [] }

  const lengths = lists.map((list) => list.length)
  const length = longest ? Math.max(...lengths) : Math.min(...lengths)
  return { rows: Array.from({ length }, (_, index) => lists.map((list) => list[index] ?? null)) }
}
