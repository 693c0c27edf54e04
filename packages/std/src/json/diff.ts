export const description =
  'Compares two JSON values and gives the JSON Patch (RFC 6902) that leads from one to the other'

export const inputSchema = {
  type: 'object',
  properties: {
    from: { description: 'The value before' },
    to: { description: 'The value after' },
  },
  required: ['from', 'to'],
  additionalProperties: false,
} as const

export const permissions = {}

type Change = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

export default async function diff(args: {
  from: unknown
  to: unknown
}): Promise<{ equal: boolean; patch: Change[] }> {
  for (const name of ['from', 'to'] as const) {
    if (args[name] === undefined)
      throw new Error(`Cannot diff JSON: expected ${name} to be a JSON value, got undefined`)
  }
  const patch = [...changes(args.from, args.to, '')]
  return { equal: patch.length === 0, patch }
}

function* changes(from: unknown, to: unknown, path: string): Generator<Change> {
  if (Array.isArray(from) && Array.isArray(to)) yield* arrayChanges(from, to, path)
  else if (isObject(from) && isObject(to)) yield* objectChanges(from, to, path)
  else if (from !== to) yield { op: 'replace', path, value: to }
}

/** By position; what is too much goes from the end, so that each index still holds when its turn comes. */
function* arrayChanges(from: readonly unknown[], to: readonly unknown[], path: string): Generator<Change> {
  const shared = Math.min(from.length, to.length)
  for (let index = 0; index < shared; index++) yield* changes(from[index], to[index], `${path}/${index}`)
  for (let index = from.length - 1; index >= shared; index--) yield { op: 'remove', path: `${path}/${index}` }
  for (let index = shared; index < to.length; index++)
    yield { op: 'add', path: `${path}/${index}`, value: to[index] }
}

function* objectChanges(from: object, to: object, path: string): Generator<Change> {
  const before = new Map<string, unknown>(Object.entries(from))
  const after = new Map<string, unknown>(Object.entries(to))
  for (const [key, value] of before) {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (after.has(key)) yield* changes(value, after.get(key), place)
    else yield { op: 'remove', path: place }
  }
  for (const [key, value] of after) {
    if (before.has(key)) continue
    yield { op: 'add', path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
