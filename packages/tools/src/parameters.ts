import type { JsonSchema } from './json-schema.ts'

export const scalarTypes = ['string', 'integer', 'number', 'boolean'] as const
type ScalarType = (typeof scalarTypes)[number]

/** One argument of a tool, as the command line sees it. */
export interface Parameter {
  readonly name: string
  /** Without the dashes. */
  readonly flag: string
  readonly type: ScalarType
  readonly isArray: boolean
  readonly isRequired: boolean
  readonly choices: readonly unknown[] | undefined
  readonly default: unknown
  readonly description: string
}

/** Flags that every command has, the last one from the program around it; no parameter may look like one. */
export const reservedFlags: ReadonlySet<string> = new Set(['help', 'input', 'json', 'version', 'color'])

/** In the order of the schema. Whatever is no legal parameter is left out: `validateTool` says why. */
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

/** How a parameter is written: `--x v`, `--x-file v`, `--x` and `--no-x` of a boolean, `--no-x` of an array. */
export type Form = 'value' | 'file' | 'on' | 'off' | 'none'

/** Every spelling of a parameter and what it means. Text comes from a file unless it is one of a few words. */
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
