export const description = 'Keeps the first of all items that are equal, or equal in one member'

export const inputSchema = {
  type: 'object',
  properties: {
    items: { type: 'array', description: 'Items, some of which may repeat' },
    by: {
      type: 'string',
      description: 'Path of the member such as address.city; without it whole items are compared',
    },
  },
  required: ['items'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function uniqueBy(args: {
  items: unknown[]
  by?: string
}): Promise<{ items: unknown[]; removed: number }> {
  const { items, by } = args
  if (!Array.isArray(items)) throw wrong('items to be an array', items)
  if (by !== undefined && typeof by !== 'string') throw wrong('by to be a string', by)

  const first = new Map<string, unknown>()
  for (const item of items) {
    const identity = identityOf(by === undefined ? item : valueAt(item, by))
    if (!first.has(identity)) first.set(identity, item)
  }
  return { items: [...first.values()], removed: items.length - first.size }
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
  return new Error(
    `Cannot remove duplicates: expected ${expected}, got ${got === null ? 'null' : typeof got}`,
  )
}
