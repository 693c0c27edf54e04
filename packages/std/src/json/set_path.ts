export const description =
  'Returns a document with the value at a JSON Pointer (RFC 6901) set, making objects on the way'

export const inputSchema = {
  type: 'object',
  properties: {
    document: { description: 'Any JSON value; it is not changed' },
    pointer: {
      type: 'string',
      description: 'JSON Pointer such as /items/0/name; /items/- appends to an array',
    },
    value: { description: 'The value to put there' },
  },
  required: ['document', 'pointer', 'value'],
  additionalProperties: false,
} as const

export const permissions = {}

export default async function setPath(args: {
  document: unknown
  pointer: string
  value: unknown
}): Promise<{ document: unknown }> {
  const { document, pointer, value } = args
  if (document === undefined) throw wrong('document to be a JSON value', 'undefined')
  if (value === undefined) throw wrong('value to be a JSON value', 'undefined')
  return { document: withValue(document, parsePointer(pointer), value) }
}

function withValue(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (typeof document !== 'object' || document === null) {
    throw wrong(`an object or array that has '${key}'`, JSON.stringify(document))
  }
  if (Array.isArray(document)) {
    const index = key === '-' ? document.length : Number(key)
    if (key !== '-' && (!/^(?:0|[1-9]\d*)$/.test(key) || index > document.length)) {
      throw wrong(`an index from 0 to ${document.length}`, `'${key}'`)
    }
    const item = withValue(index < document.length ? document[index] : {}, rest, value)
    return [...document.slice(0, index), item, ...document.slice(index + 1)]
  }
  // Entries instead of an assignment, for which __proto__ would not be a key like any other
  const members = new Map<string, unknown>(Object.entries(document))
  members.set(key, withValue(members.has(key) ? members.get(key) : {}, rest, value))
  return Object.fromEntries(members)
}

function parsePointer(pointer: unknown): string[] {
  if (typeof pointer !== 'string') throw wrong('pointer to be a string', typeof pointer)
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw wrong('pointer to be a JSON Pointer such as /a/0', `'${pointer}'`)
  }
  const keys = pointer.slice(1).split('/')
  if (keys.length > 1000) throw wrong('pointer to have at most 1000 steps', `${keys.length}`)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function wrong(expected: string, got: string): Error {
  return new Error(`Cannot set path: expected ${expected}, got ${got}`)
}
