export const description = 'Keeps the items of one list that are in another one too'

export const inputSchema = {
  type: 'object',
  properties: {
    left: { type: 'array', description: 'Items to choose from; their order is kept and repeats are dropped' },
    right: { type: 'array', description: 'Items to look for' },
    by: {
      type: 'string',
      description: 'Path of the member such as user.id; without it whole items are compared',
    },
  },
  required: ['left', 'right'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function intersection(args: {
  left: unknown[]
  right: unknown[]
  by?: string
}): Promise<{ items: unknown[] }> {
  const { left, right, by } = args
  if (!Array.isArray(left)) throw wrong('left to be an array', left)
  if (!Array.isArray(right)) throw wrong('right to be an array', right)
  if (by !== undefined && typeof by !== 'string') throw wrong('by to be a string', by)

  const keyOf = (item: unknown) => identityOf(by === undefined ? item : valueAt(item, by))
  const others = new Set(right.map(keyOf))
  const kept = new Map<string, unknown>()
  for (const item of left) {
    const key = keyOf(item)
    if (others.has(key) && !kept.has(key)) kept.set(key, item)
  }
  return { items: [...kept.values()] }
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
  return new Error(`Cannot intersect: expected ${expected}, got ${got === null ? 'null' : typeof got}`)
}
