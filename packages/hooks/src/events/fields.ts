import { PmlError } from '@pml/core/errors'
import { isJsonObject, type JsonObject } from '../event.ts'

/** An object of an event and its path, so that messages can name the field. */
export interface Fields {
  readonly agent: string
  /** Empty for the event itself, else `tool_input.`. */
  readonly at: string
  readonly values: JsonObject
}

/** May be empty, like a file. */
export function text(fields: Fields, name: string): string {
  const value = fieldValue(fields, name)
  if (typeof value === 'string') return value
  throw unexpected(fields, name, { expected: 'a string', value })
}

/** A name, a path or a command: must not be empty. */
export function name(fields: Fields, field: string): string {
  const value = text(fields, field)
  if (value.trim() !== '') return value
  throw unexpected(fields, field, { expected: 'a string that is not empty', value })
}

/** The field may be missing or null, and is a string otherwise. */
export function optionalText(fields: Fields, field: string): string | undefined {
  const value = fieldValue(fields, field)
  return value === undefined || value === null ? undefined : text(fields, field)
}

export function optionalFlag(fields: Fields, field: string): boolean {
  const value = fieldValue(fields, field)
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw unexpected(fields, field, { expected: 'true or false', value })
}

export function object(fields: Fields, field: string): Fields {
  const value = fieldValue(fields, field)
  if (isJsonObject(value)) return { ...fields, at: `${fields.at}${field}.`, values: value }
  throw unexpected(fields, field, { expected: 'an object', value })
}

export function optionalObject(fields: Fields, field: string): Fields | undefined {
  const value = fieldValue(fields, field)
  return value === undefined || value === null ? undefined : object(fields, field)
}

/** An object, or the JSON text of one, as some versions of some agents write it. */
export function objectOrJson(fields: Fields, field: string): Fields {
  const value = fieldValue(fields, field)
  if (typeof value !== 'string') return object(fields, field)
  return object({ ...fields, values: { [field]: parseJson(value) } }, field)
}

export function objects(fields: Fields, field: string): readonly Fields[] {
  const value = fieldValue(fields, field)
  if (!Array.isArray(value)) throw unexpected(fields, field, { expected: 'a list', value })
  const items: JsonObject = { ...value }
  return value.map((_, index) =>
    object({ ...fields, at: `${fields.at}${field}.`, values: items }, String(index)),
  )
}

/** An absolute path; a relative one would depend on the hook's working directory. */
export function wholePath(fields: Fields, field: string): string {
  const value = name(fields, field)
  if (isWholePath(value)) return value
  throw unexpected(fields, field, { expected: 'a whole path', value })
}

export function isWholePath(path: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)
}

/** The value of a field of the object itself, never of its prototype. */
export function fieldValue({ values }: Fields, field: string): unknown {
  return Object.hasOwn(values, field) ? values[field] : undefined
}

export function unexpected(
  { agent, at }: Fields,
  field: string,
  { expected, value }: { expected: string; value: unknown },
): PmlError {
  return new PmlError(
    'bad_request',
    `Cannot read the event of ${agent}: expected ${at}${field} to be ${expected}, got ${kindOf(value)}`,
  )
}

/** Never the value itself: it may be a secret, or ten megabytes long. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty one' : 'another string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
