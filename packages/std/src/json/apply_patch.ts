import { isDeepStrictEqual } from 'node:util'

export const description =
  'Applies a JSON Patch (RFC 6902) as a whole, or not at all when one of its operations fails'

export const inputSchema = {
  type: 'object',
  properties: {
    document: { description: 'Any JSON value; it is not changed' },
    patch: {
      type: 'array',
      maxItems: 10000,
      items: {
        type: 'object',
        properties: {
          op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
          path: { type: 'string' },
          from: { type: 'string' },
          value: {},
        },
        required: ['op', 'path'],
      },
      description: 'Operations in the order in which they are applied',
    },
  },
  required: ['document', 'patch'],
  additionalProperties: false,
} as const

export const permissions = {}

type Operation = { op: string; path: string; from?: string; value?: unknown }

export default async function applyPatch(args: {
  document: unknown
  patch: Operation[]
}): Promise<{ document: unknown }> {
  const { document, patch } = args
  if (document === undefined)
    throw new Error('Cannot apply patch: expected document to be a JSON value, got undefined')
  if (!Array.isArray(patch) || patch.length > 10_000) {
    throw new Error('Cannot apply patch: expected patch to be an array of at most 10000 operations')
  }
  // The document is the only member of a holder, so that the root is replaced like any other member
  const holder = { '': structuredClone(document) }
  for (const [index, operation] of patch.entries()) {
    try {
      apply(holder, operation)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`Cannot apply patch: operation ${index}: ${reason}`, { cause: error })
    }
  }
  return { document: holder[''] }
}

function apply(holder: object, { op, path, from, value }: Operation): void {
  if (typeof path !== 'string') throw new Error(`expected path to be a string, got ${typeof path}`)
  if (op === 'remove') take(holder, path)
  else if (op === 'move') put(holder, path, take(holder, requireOutside(path, from)))
  else if (op === 'copy') put(holder, path, structuredClone(read(holder, from)))
  else if (op === 'add') put(holder, path, structuredClone(requireValue(value)))
  else if (op === 'replace') set(place(holder, path), structuredClone(requireValue(value)))
  else if (op !== 'test')
    throw new Error(`expected op to be add, remove, replace, move, copy or test, got '${op}'`)
  else if (!isDeepStrictEqual(read(holder, path), requireValue(value))) {
    throw new Error(`expected ${JSON.stringify(value)} at '${path}', got something else`)
  }
}

function requireValue(value: unknown): unknown {
  if (value === undefined) throw new Error('expected a value, got none')
  return value
}

/** RFC 6902, section 4.4: nothing can be moved into itself. */
function requireOutside(path: string, from: string | undefined): string | undefined {
  if (path.startsWith(`${from}/`)) throw new Error(`expected a path outside of '${from}', got '${path}'`)
  return from
}

type Place = { parent: object; key: string }

function put(holder: object, path: string, value: unknown): void {
  const { parent, key } = parentOf(holder, path)
  if (!Array.isArray(parent)) return set({ parent, key }, value)
  const index = key === '-' ? parent.length : Number(key)
  if (key !== '-' && (!isIndex(key) || index > parent.length))
    throw new Error(`there is no place at '${path}'`)
  parent.splice(index, 0, value)
}

function take(holder: object, path: string | undefined): unknown {
  const { parent, key } = place(holder, path)
  const value: unknown = Reflect.get(parent, key)
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
  return value
}

function read(holder: object, path: string | undefined): unknown {
  const { parent, key } = place(holder, path)
  return Reflect.get(parent, key)
}

/** Defined, not assigned: __proto__ is a key like any other. */
function set({ parent, key }: Place, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, writable: true, configurable: true })
}

/** A place that holds a value now. */
function place(holder: object, path: string | undefined): Place {
  const found = parentOf(holder, path)
  if (!has(found)) throw new Error(`there is nothing at '${path}'`)
  return found
}

function parentOf(holder: object, path: string | undefined): Place {
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/')) || /~(?![01])/.test(path)) {
    throw new Error(`expected a JSON Pointer such as /a/0, got ${JSON.stringify(path)}`)
  }
  const keys = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop() ?? ''
  let parent = holder
  for (const key of keys) {
    const next: unknown = has({ parent, key }) ? Reflect.get(parent, key) : undefined
    if (typeof next !== 'object' || next === null) throw new Error(`there is nothing at '${path}'`)
    parent = next
  }
  return { parent, key: last }
}

function has({ parent, key }: Place): boolean {
  return Object.hasOwn(parent, key) && (!Array.isArray(parent) || isIndex(key))
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(key)
}
