import { canonicalJson, type JsonObject, type JsonValue } from '../canonical-json.ts'

/** Deeper than any document, shallow enough for what walks through it. */
const DEEPEST = 128

/** Returns the object in a text; undefined if it is not an object or is nested too deeply. */
export function findObject(text: string): JsonObject | undefined {
  const value = findJson(text)
  return isObject(value) && isShallow(value) ? value : undefined
}

/** False for a text that can be read in two ways, such as one with a duplicate key. */
export function isCanonical(value: JsonValue, text: string): boolean {
  try {
    return canonicalJson(value) === text
  } catch {
    return false
  }
}

/** Reads own members only, never the prototype's. */
export function memberOf(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let member = value
  for (const key of path) member = isObject(member) && Object.hasOwn(member, key) ? member[key] : undefined
  return member
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => sameMember(a, b, key))
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((item: JsonValue, index) => sameJson(item, b[index]))
}

function sameMember(a: JsonObject, b: JsonObject, key: string): boolean {
  return Object.hasOwn(b, key) && sameJson(a[key], b[key])
}

function findJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export function isShallow(value: JsonValue | undefined, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1))
}
