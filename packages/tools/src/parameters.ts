import type { JsonSchema } from './json-schema.ts'

export const scalarTypes = ['string', 'integer', 'number', 'boolean'] as const
type ScalarType = (typeof scalarTypes)[number]

/** One argument of a tool on the command line. */
export interface Parameter {
  readonly name: string
  /** The name without dashes. */
  readonly flag: string
  readonly type: ScalarType
  readonly isArray: boolean
  readonly isRequired: boolean
  readonly choices: readonly unknown[] | undefined
  readonly default: unknown
  readonly description: string
}

/** Flags of every command, including those of the program; no parameter may look like one. */
export const reservedFlags: ReadonlySet<string> = new Set(['help', 'input', 'json', 'version', 'color'])

/** In schema order. Invalid parameters are left out; `validateTool` reports them. */
export function parametersOf(schema: JsonSchema): Parameter[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isArray = property.type === 'array'
    const value = isArray ? (property.items ?? {}) : property
    const type = scalarTypes.find((known) => known === value.type)
    if (!type) return []
    return {
      name,
      flag: flagOf(name),
      type,
      isArray,
      isRequired: required.has(name),
      choices: value.enum ?? (value.const === undefined ? undefined : [value.const]),
      default: property.default,
      description: property.description ?? '',
    }
  })
}

/** `expiresInDays` and `expires_in_days` are both `expires-in-days`. */
export function flagOf(parameter: string): string {
  return parameter
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** The spellings of a parameter: `--x v`, `--x-file v`, `--x` and `--no-x` of a boolean, `--no-x` of an array. */
export type Form = 'value' | 'file' | 'on' | 'off' | 'none'

/** Every spelling of a parameter and its meaning. Text can come from a file unless the parameter is an enum. */
export function formsOf({ flag, type, isArray, choices }: Parameter): [spelling: string, form: Form][] {
  if (isArray)
    return [
      [flag, 'value'],
      [`no-${flag}`, 'none'],
    ]
  if (type === 'boolean')
    return [
      [flag, 'on'],
      [`no-${flag}`, 'off'],
    ]
  if (type === 'string' && !choices)
    return [
      [flag, 'value'],
      [`${flag}-file`, 'file'],
    ]
  return [[flag, 'value']]
}
