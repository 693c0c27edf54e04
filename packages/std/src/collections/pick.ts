export const description = 'Reduces objects to some of their members, or to all but some'

export const inputSchema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      items: { type: 'object' },
      description: 'Objects to reduce; they are not changed',
    },
    keys: { type: 'array', items: { type: 'string' }, description: 'Names of the members' },
    omit: {
      type: 'boolean',
      default: false,
      description: 'Whether these members are left out instead of kept',
    },
  },
  required: ['items', 'keys'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function pick(args: {
  items: object[]
  keys: string[]
  omit?: boolean
}): Promise<{ items: object[] }> {
  const { items, keys, omit = false } = args
  if (!Array.isArray(items))
    throw new Error(`Cannot pick: expected items to be an array, got ${typeof items}`)
  if (!Array.isArray(keys)) throw new Error(`Cannot pick: expected keys to be an array, got ${typeof keys}`)
  const bad = items.findIndex((item) => typeof item !== 'object' || item === null || Array.isArray(item))
  if (bad >= 0)
    throw new Error(`Cannot pick: expected items[${bad}] to be an object, got ${JSON.stringify(items[bad])}`)
  return { items: items.map((item) => (omit ? without(item, new Set(keys)) : only(item, keys))) }
}

function without(item: object, keys: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.has(key)))
}

/** In the order of the keys that were asked for, so that rows come out alike. */
function only(item: object, keys: readonly string[]): object {
  const found = keys.filter((key) => Object.hasOwn(item, key))
  return Object.fromEntries(found.map((key) => [key, Reflect.get(item, key)]))
}
