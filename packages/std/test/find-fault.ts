/** The part of JSON Schema 2020-12 that the tools use. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

export const KEYWORDS = new Set(
  'type description enum default minimum maximum minLength maxLength minItems maxItems items properties required additionalProperties'.split(
    ' ',
  ),
)

/** Why a value does not fit a schema, or undefined when it does. */
export function findFault(schema: Schema, value: unknown, at = 'args'): string | undefined {
  if (schema.type !== undefined && !isOfType(schema.type, value)) return `${at} is not of type ${schema.type}`
  if (schema.enum && !schema.enum.includes(value)) return `${at} is none of ${schema.enum.join(', ')}`
  if (typeof value === 'number') return findInRange(schema, value, at)
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = schema
    return value.length >= minLength && value.length <= maxLength ? undefined : `${at} has a wrong length`
  }
  if (Array.isArray(value)) return findInArray(schema, value, at)
  return typeof value === 'object' && value !== null ? findInObject(schema, value, at) : undefined
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function findInRange(
  { minimum = -Infinity, maximum = Infinity }: Schema,
  value: number,
  at: string,
): string | undefined {
  return value >= minimum && value <= maximum ? undefined : `${at} is out of range`
}

function findInArray(schema: Schema, value: readonly unknown[], at: string): string | undefined {
  const { minItems = 0, maxItems = Infinity, items = {} } = schema
  if (value.length < minItems || value.length > maxItems) return `${at} has a wrong number of items`
  for (const [index, item] of value.entries()) {
    const fault = findFault(items, item, `${at}[${index}]`)
    if (fault !== undefined) return fault
  }
  return undefined
}

function findInObject(schema: Schema, value: object, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties = true } = schema
  for (const key of required) if (!Object.hasOwn(value, key)) return `${at}.${key} is missing`
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!known && additionalProperties === false) return `${at}.${key} is unknown`
    const rest = typeof additionalProperties === 'object' ? additionalProperties : {}
    const fault = findFault(known ?? rest, member, `${at}.${key}`)
    if (fault !== undefined) return fault
  }
  return undefined
}
