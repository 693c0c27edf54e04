export const description = 'Lists every leaf of a JSON value under its JSON Pointer (RFC 6901)'

export const inputSchema = {
  type: 'object',
  properties: {
    value: { description: 'Any JSON value' },
  },
  required: ['value'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function flatten(args: {
  value: unknown
}): Promise<{ leaves: { pointer: string; value: unknown }[] }> {
  if (args.value === undefined)
    throw new Error('Cannot flatten: expected value to be a JSON value, got undefined')
  return { leaves: [...leavesOf(args.value, '')] }
}

/** An empty object or array is a leaf: it would be lost otherwise. */
function* leavesOf(value: unknown, pointer: string): Generator<{ pointer: string; value: unknown }> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0) yield { pointer, value }
  for (const [key, member] of members) {
    yield* leavesOf(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}
