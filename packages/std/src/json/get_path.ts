export const description = 'Finds the value that a JSON Pointer (RFC 6901) points to'

export const inputSchema = {
  type: 'object',
  properties: {
    document: { description: 'Any JSON value' },
    pointer: {
      type: 'string',
      description: 'JSON Pointer such as /items/0/name; empty for the whole document',
    },
  },
  required: ['document', 'pointer'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function getPath(args: {
  document: unknown
  pointer: string
}): Promise<{ found: true; value: unknown } | { found: false }> {
  let value = args.document
  for (const key of parsePointer(args.pointer)) {
    if (typeof value !== 'object' || value === null || !hasKey(value, key)) return { found: false }
    value = Reflect.get(value, key)
  }
  return value === undefined ? { found: false } : { found: true, value }
}

/** RFC 6901, section 4: an index has no leading zero. */
function hasKey(value: object, key: string): boolean {
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return false
  return Object.hasOwn(value, key)
}

function parsePointer(pointer: unknown): string[] {
  if (typeof pointer !== 'string') {
    throw new Error(`Cannot get path: expected pointer to be a string, got ${typeof pointer}`)
  }
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw new Error(`Cannot get path: expected pointer to be a JSON Pointer such as /a/0, got '${pointer}'`)
  }
  const keys = pointer.slice(1).split('/')
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
