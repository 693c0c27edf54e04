export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** Members that are `undefined` are absent, as in JSON.stringify. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** RFC 8785: one text for one value. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'string') return printString(value)
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') return printObject(value)
  throw new TypeError(`Cannot write ${typeof value} as canonical JSON: expected a JSON value`)
}

function printNumber(value: number): string {
  if (!Number.isFinite(value))
    throw new TypeError(`Cannot write ${value} as canonical JSON: expected a finite number`)
  return JSON.stringify(value)
}

function printString(value: string): string {
  if (!value.isWellFormed())
    throw new TypeError('Cannot write a string as canonical JSON: it has a lone surrogate')
  return JSON.stringify(value)
}

/** Keys in the order of their UTF-16 code units, which is what a plain sort gives (RFC 8785, 3.2.3). */
function printObject(object: JsonObject): string {
  const members: string[] = []
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value !== undefined) members.push(`${printString(key)}:${canonicalJson(value)}`)
  }
  return `{${members.join(',')}}`
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
