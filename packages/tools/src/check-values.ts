import { PmlError } from '@pml/core/errors'
import type { z } from 'zod'
import type { JsonObject } from './json-schema.ts'
import type { Tool } from './ready-tool.ts'

export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

const MOST_ISSUES = 20
const LONGEST_SHOWN = 60

/** Throws `invalid_arguments`, naming every wrong parameter, what was expected and what came. */
export function parseArguments(
  tool: Pick<Tool<never>, 'name' | 'input'>,
  args: unknown,
): Record<string, unknown> {
  if (args !== null && typeof args === 'object' && Object.hasOwn(args, '__proto__'))
    throw invalidArguments(tool.name, [{ path: ['__proto__'], message: 'there is no such parameter' }])
  const { success, data } = tool.input.safeParse(args)
  if (success) return data
  // Validates again with the input only after a failure, because that takes several times as long.
  const { error } = tool.input.safeParse(args, { reportInput: true })
  throw invalidArguments(tool.name, error?.issues.flatMap(issuesOf) ?? [])
}

export function invalidArguments(tool: string, issues: readonly Issue[]): PmlError {
  const shown = issues.slice(0, MOST_ISSUES)
  const list = shown.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
  return new PmlError('invalid_arguments', `Cannot call ${tool}: ${list.join('; ')}`, { issues: shown })
}

const checkedOutputs = new WeakMap<object, { readonly schema: object; readonly data: JsonObject }>()

/**
 * Throws if the output violates the tool's schema, which no caller can fix. A frozen output is checked once and its JSON is
 * reused.
 */
export function checkOutput(tool: Pick<Tool<never>, 'name' | 'output'>, output: unknown): JsonObject {
  const known = checkedOutputs.get(output as object)
  if (known?.schema === tool.output) return known.data
  const { success, data, error } = tool.output.safeParse(output)
  if (success && Object.isFrozen(output))
    checkedOutputs.set(output as object, { schema: tool.output, data: Object.freeze(data) })
  if (success) return data
  const places = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`The output of ${tool.name} is not what its schema says: ${places.join('; ')}`)
}

function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, shorten(key)], message: 'there is no such parameter' }))
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined
  if (isMissing) return [{ path, message: `it is required: expected ${issue.expected}, got nothing` }]
  const message = issue.message.replace(/^Invalid input: /, '')
  return [{ path, message: / received /.test(message) ? message : `${message}, got ${print(issue.input)}` }]
}

/** Shortens a value; long texts are described by their length. */
function print(value: unknown): string {
  if (typeof value === 'string')
    return value.length > LONGEST_SHOWN ? `${value.length} characters` : `"${value}"`
  if (Array.isArray(value)) return `${value.length} items`
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value
}

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}
