export const description =
  'Counts how often each item, or each value of a member, occurs, most frequent first'

export const inputSchema = {
  type: 'object',
  properties: {
    items: { type: 'array', description: 'Items to count' },
    by: {
      type: 'string',
      description: 'Path of the member such as address.city; without it the items themselves count',
    },
  },
  required: ['items'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function countBy(args: {
  items: unknown[]
  by?: string
}): Promise<{ counts: { key: unknown; count: number }[] }> {
  const { items, by } = args
  if (!Array.isArray(items)) throw wrong('items to be an array', items)
  if (by !== undefined && typeof by !== 'string') throw wrong('by to be a string', by)

  const counts = new Map<string, { key: unknown; count: number }>()
  for (const item of items) {
    const key = by === undefined ? item : valueAt(item, by)
    const identity = identityOf(key)
    const entry = counts.get(identity) ?? { key, count: 0 }
    entry.count++
    counts.set(identity, entry)
  }
  return { counts: [...counts.values()].sort((a, b) => b.count - a.count) }
}

/** Follows a path such as address.city through own members only; what is not there is null. */
function valueAt(item: unknown, path: string): unknown {
  let value = item
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null
    value = Reflect.get(value, key)
  }
  return value
}

/** One text for equal values, in whatever order their members stand. */
function identityOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot count: expected ${expected}, got ${got === null ? 'null' : typeof got}`)
}
