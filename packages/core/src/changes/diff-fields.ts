import type { JsonObject, JsonValue } from '../canonical-json.ts'
import type { FieldChange } from './change.ts'
import { printQuoted } from './cut.ts'
import { isObject, memberOf, sameJson } from './json.ts'

interface Sides<Kind = JsonValue> {
  readonly before: Kind | undefined
  readonly after: Kind | undefined
}

/** Finds every difference, by the smallest part. Two different values always have one. */
export function diffFields(path: string, sides: Sides): FieldChange[] {
  if (sameJson(sides.before, sides.after)) return []
  if (areAll(isObject, sides)) return diffObjects(path, sides)
  if (areAll(isTextList, sides)) return diffLists(path, sides)
  return [fieldChange(path, sides)]
}

/** `install.args`, or `packages["node_modules/a"]` for an ambiguous key. */
export function joinPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][A-Za-z0-9_$-]*$/.test(key)) return `${path}[${printQuoted(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function diffObjects(path: string, { before, after }: Sides<JsonObject>): FieldChange[] {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  if (keys.size === 0) return [fieldChange(path, { before, after })]
  return [...keys].sort().flatMap((key) => {
    const sides = { before: memberOf(before, key), after: memberOf(after, key) }
    return diffFields(joinPath(path, key), sides)
  })
}

/** Compares lists by member; compares the whole lists if the order changed or if both are empty. */
function diffLists(path: string, { before, after }: Sides<readonly string[]>): FieldChange[] {
  const removed = without(before ?? [], after ?? [])
  const added = without(after ?? [], before ?? [])
  const stayed = { before: without(before ?? [], removed), after: without(after ?? [], added) }
  const isMoved = !sameJson(stayed.before, stayed.after) || removed.length + added.length === 0
  return [
    ...removed.map((text) => ({ path, before: text })),
    ...added.map((text) => ({ path, after: text })),
    ...(isMoved ? [fieldChange(path, { before, after })] : []),
  ]
}

/** Each text of `others` removes one equal text. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1)
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}

function fieldChange(path: string, { before, after }: Sides): FieldChange {
  return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

/** True if both sides are such a value; one of them may be missing. */
function areAll<Kind extends JsonValue>(
  is: (value: JsonValue | undefined) => value is Kind,
  sides: Sides,
): sides is Sides<Kind> {
  return [sides.before, sides.after].every((value) => value === undefined || is(value))
}

function isTextList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
