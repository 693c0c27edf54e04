export const description = 'Applies a JSON Merge Patch (RFC 7386), in which null removes a member'

export const inputSchema = {
  type: 'object',
  properties: {
    document: { description: 'Any JSON value; it is not changed' },
    patch: { description: 'The members to change; anything but an object replaces the whole document' },
  },
  required: ['document', 'patch'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function mergePatch(args: {
  document: unknown
  patch: unknown
}): Promise<{ document: unknown }> {
  for (const name of ['document', 'patch'] as const) {
    if (args[name] === undefined)
      throw new Error(`Cannot merge: expected ${name} to be a JSON value, got undefined`)
  }
  return { document: merge(args.document, args.patch) }
}

function merge(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  // A map instead of assignments, for which __proto__ would not be a key like any other
  const members = new Map<string, unknown>(isObject(document) ? Object.entries(document) : [])
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) members.delete(key)
    else members.set(key, merge(members.get(key), change))
  }
  return Object.fromEntries(members)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
