import { canonicalJson, type JsonObject, type JsonValue } from '../canonical-json.ts'
import { printSome } from './cut.ts'
import { joinPath } from './diff-fields.ts'
import { isObject, memberOf, sameJson } from './json.ts'
import { printDifference, printValues, type Sides } from './print-values.ts'

/** Whether more is accepted than before, or less; `changed` if unclear, `text` if only descriptions differ. */
export type SchemaEffect = 'widened' | 'narrowed' | 'changed' | 'text'

export interface SchemaDifference {
  readonly effect: SchemaEffect
  readonly path: string
  /** The difference at the path. */
  readonly what: string
}

interface Place {
  readonly path: string
  readonly level: number
}

type Compare = (place: Place, sides: Sides) => SchemaDifference[]

const DEEPEST = 32

/** Compares what two JSON Schemas accept. Different schemas always have a difference. */
export function diffSchemas(path: string, sides: Sides): SchemaDifference[] {
  return diffSchema({ path, level: 0 }, sides)
}

/** No schema, `true` and `{}` accept everything, `false` nothing. */
const diffSchema: Compare = ({ path, level }, { before, after }) => {
  if (sameJson(before, after)) return []
  if (level >= DEEPEST) return [{ effect: 'changed', path, what: 'differs somewhere deep inside' }]
  if (isObject(before) && isObject(after)) return diffKeywords({ path, level }, before, after)
  const [old, now] = [reachOf(before), reachOf(after)]
  const effect = old === undefined || now === undefined ? 'changed' : effectOf(now - old)
  return [{ effect, path, what: printDifference({ before, after }) }]
}

function reachOf(schema: JsonValue | undefined): number | undefined {
  if (schema === false) return 0
  if (schema === undefined || schema === true) return 2
  if (!isObject(schema)) return undefined
  return Object.keys(schema).length === 0 ? 2 : 1
}

function effectOf(growth: number): SchemaEffect {
  if (growth === 0) return 'changed'
  return growth > 0 ? 'widened' : 'narrowed'
}

function diffKeywords({ path, level }: Place, before: JsonObject, after: JsonObject): SchemaDifference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key) => {
    const sides = { before: memberOf(before, key), after: memberOf(after, key) }
    if (sameJson(sides.before, sides.after)) return []
    const place = { path: joinPath(path, key), level: level + 1 }
    const found = comparisons.get(key)?.(place, sides) ?? []
    return found.length > 0 ? found : diffOther(place, sides)
  })
}

const diffOther: Compare = ({ path }, sides) => [{ effect: 'changed', path, what: printDifference(sides) }]

/** Readers, above all agents, take it as the tool's purpose. */
const diffText: Compare = ({ path }, sides) => [{ effect: 'text', path, what: printDifference(sides) }]

function diffBound(direction: 1 | -1): Compare {
  return ({ path }, sides) => {
    const { before = direction * Infinity, after = direction * Infinity } = sides
    if (typeof before !== 'number' || typeof after !== 'number') return []
    return [{ effect: effectOf((after - before) * direction), path, what: printDifference(sides) }]
  }
}

/** Constraints: removing one is wider. */
const diffCondition: Compare = ({ path }, sides) => {
  if (sides.before !== undefined && sides.after !== undefined) return []
  return [{ effect: sides.after === undefined ? 'widened' : 'narrowed', path, what: printDifference(sides) }]
}

const diffUnique: Compare = ({ path }, sides) => {
  const [old, now] = [sides.before === true, sides.after === true]
  return old === now ? [] : [{ effect: now ? 'narrowed' : 'widened', path, what: printDifference(sides) }]
}

const diffTypes: Compare = (place, { before, after }) => {
  if (before === undefined || after === undefined) return diffCondition(place, { before, after })
  const [old, now] = [before, after].map((type) => (typeof type === 'string' ? [type] : type))
  return diffLists(place, { before: old, after: now }, { more: 'widened', isIn: hasType })
}

function hasType(types: ReadonlyMap<string, JsonValue>, type: string): boolean {
  return types.has(type) || (type === '"integer"' && types.has('"number"'))
}

const diffEnum: Compare = (place, { before, after }) => {
  if (before === undefined || after === undefined) return diffCondition(place, { before, after })
  return diffLists(place, { before, after }, { more: 'widened' })
}

const diffRequired: Compare = (place, { before = [], after = [] }) =>
  diffLists(place, { before, after }, { more: 'narrowed' })

interface Lists {
  /** The effect of additional schema members. */
  readonly more: 'widened' | 'narrowed'
  readonly isIn?: (list: ReadonlyMap<string, JsonValue>, member: string) => boolean
}

function diffLists(
  { path }: Place,
  { before, after }: Sides,
  { more, isIn = (list, member) => list.has(member) }: Lists,
): SchemaDifference[] {
  if (!isList(before) || !isList(after)) return []
  const [old, now] = [byText(before), byText(after)]
  const come = [...now].filter(([text]) => !isIn(old, text)).map(([, value]) => value)
  const gone = [...old].filter(([text]) => !isIn(now, text)).map(([, value]) => value)
  return [
    ...(come.length === 0 ? [] : [{ effect: more, path, what: `now has ${printList(come)}` }]),
    ...(gone.length === 0 ? [] : [{ effect: opposite(more), path, what: `lacks ${printList(gone)}` }]),
  ]
}

/** An additional property is more to send, even if any property was accepted before. */
const diffProperties: Compare = (place, { before = {}, after = {} }) =>
  diffMembers(place, { before, after }, { come: 'widened', gone: 'narrowed' })

const diffParts: Compare = (place, { before = {}, after = {} }) =>
  diffMembers(place, { before, after }, { come: 'changed', gone: 'changed' })

function diffMembers(
  { path, level }: Place,
  { before, after }: Sides,
  { come, gone }: { come: SchemaEffect; gone: SchemaEffect },
): SchemaDifference[] {
  if (!isObject(before) || !isObject(after)) return []
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key): SchemaDifference[] => {
    const [old, now] = [memberOf(before, key), memberOf(after, key)]
    const place = { path: joinPath(path, key), level: level + 1 }
    const sides = { before: old, after: now }
    if (old !== undefined && now !== undefined) return diffSchema(place, sides)
    const effect = now === undefined ? gone : come
    return [{ effect, path: place.path, what: printDifference(sides) }]
  })
}

/** Compares alternatives by position after removing the unchanged ones. */
function diffOptions(more: 'widened' | 'narrowed'): Compare {
  return (place, { before, after }) => {
    if (before === undefined || after === undefined) return diffCondition(place, { before, after })
    if (!isList(before) || !isList(after)) return []
    const [old, now] = [byText(before), byText(after)]
    const gone = [...old].filter(([text]) => !now.has(text)).map(([, value]) => value)
    const come = [...now].filter(([text]) => !old.has(text)).map(([, value]) => value)
    if (gone.length !== come.length) return diffLists(place, { before, after }, { more })
    return diffInOrder(place, { before: gone, after: come })
  }
}

const diffInOrder: Compare = ({ path, level }, { before, after }) => {
  if (!isList(before) || !isList(after) || before.length !== after.length) return []
  return before.flatMap((old, index) =>
    diffSchema({ path: `${path}[${index}]`, level: level + 1 }, { before: old, after: after[index] }),
  )
}

const comparisons: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ...named(['title', 'description', '$comment'], diffText),
  ...named(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'], diffBound(1)),
  ...named(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'], diffBound(-1)),
  ...named(['const', 'format', 'multipleOf', 'not', 'pattern'], diffCondition),
  ['uniqueItems', diffUnique],
  ['type', diffTypes],
  ['enum', diffEnum],
  ['required', diffRequired],
  ['properties', diffProperties],
  ...named(['$defs', 'definitions', 'dependentSchemas', 'patternProperties'], diffParts),
  ...named(['additionalProperties', 'unevaluatedProperties', 'propertyNames'], diffSchema),
  ...named(['items', 'additionalItems', 'unevaluatedItems', 'contains'], diffSchema),
  ...named(['anyOf', 'oneOf'], diffOptions('widened')),
  ['allOf', diffOptions('narrowed')],
  ['prefixItems', diffInOrder],
])

function named(keys: readonly string[], compare: Compare): [string, Compare][] {
  return keys.map((key) => [key, compare])
}

function byText(values: readonly JsonValue[]): Map<string, JsonValue> {
  return new Map(values.map((value) => [canonicalJson(value), value]))
}

function opposite(effect: 'widened' | 'narrowed'): SchemaEffect {
  return effect === 'widened' ? 'narrowed' : 'widened'
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function printList(values: readonly JsonValue[]): string {
  return printSome(values.map((value) => printValues(undefined, value)))
}
