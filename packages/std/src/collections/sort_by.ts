export const description = 'Sorts items by themselves or by a member, keeping the order of equal ones'

export const inputSchema = {
  type: 'object',
  properties: {
    items: { type: 'array', description: 'Items to sort; they are not changed' },
    by: {
      type: 'string',
      description: 'Path of the member such as address.city; without it the items themselves count',
    },
    descending: { type: 'boolean', default: false, description: 'Whether the largest comes first' },
  },
  required: ['items'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function sortBy(args: {
  items: unknown[]
  by?: string
  descending?: boolean
}): Promise<{ items: unknown[] }> {
  const { items, by, descending = false } = args
  if (!Array.isArray(items)) throw wrong('items to be an array', items)
  if (by !== undefined && typeof by !== 'string') throw wrong('by to be a string', by)

  const keyed = items.map((item) => ({ item, key: by === undefined ? item : valueAt(item, by) }))
  keyed.sort((a, b) => compare(a.key, b.key, descending ? -1 : 1))
  return { items: keyed.map(({ item }) => item) }
}

/** Numbers, then text by code unit, then true and false, then all the rest; what has no value is last either way. */
function compare(a: unknown, b: unknown, direction: 1 | -1): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  if (rankA === 4 || rankB === 4) return rankA - rankB
  if (rankA !== rankB) return (rankA - rankB) * direction
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction
  const [textA, textB] = typeof a === 'string' ? [a, String(b)] : [JSON.stringify(a), JSON.stringify(b)]
  return (textA < textB ? -1 : textA > textB ? 1 : 0) * direction
}

function rankOf(value: unknown): number {
  if (value === null || value === undefined) return 4
  const rank = ['number', 'string', 'boolean'].indexOf(typeof value)
  return rank < 0 ? 3 : rank
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

function wrong(expected: string, got: unknown): Error {
  return new Error(`Cannot sort: expected ${expected}, got ${got === null ? 'null' : typeof got}`)
}
