export const description =
  'Puts items that share the value of a member into groups, in order of first appearance'

export const inputSchema = {
  type: 'object',
  properties: {
    items: { type: 'array', description: 'Items to group' },
    by: {
      type: 'string',
      description: 'Path of the member such as address.city; items without it share the key null',
    },
  },
  required: ['items', 'by'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function groupBy(args: {
  items: unknown[]
  by: string
}): Promise<{ groups: { key: unknown; items: unknown[] }[] }> {
  const { items, by } = args
  if (!Array.isArray(items)) throw wrong('items to be an array', items)
  if (typeof by !== 'string') throw wrong('by to be a string', by)

  const groups = new Map<string, { key: unknown; items: unknown[] }>()
  for (const item of items) {
    const key = valueAt(item, by)
    const identity = identityOf(key)
    const group = groups.get(identity) ?? { key, items: [] }
    group.items.push(item)
    groups.set(identity, group)
  }
  return { groups: [...groups.values()] }
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
  return new Error(`Cannot group: expected ${expected}, got ${got === null ? 'null' : typeof got}`)
}
