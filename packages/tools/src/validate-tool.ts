import { z } from 'zod'
import { aboutOf, examplesIn } from './description.ts'
import { jsonSchemaOf, type JsonSchema } from './json-schema.ts'
import { formsOf, parametersOf, reservedFlags, scalarTypes } from './parameters.ts'
import type { Report, ToolProblem } from './tool-problem.ts'
import type { ToolDefinition } from './tool.ts'
import { validateCommand, validatePlaces } from './validate-command.ts'

const namePattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
const parameterPattern = /^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/
const LONGEST_NAME = 64
const LONGEST_ABOUT = 120
const LONGEST_DESCRIPTION = 8000
/** The route around a call waits a little longer than this. */
const LONGEST_TIMEOUT_MS = 590_000

/** Finds every problem of a single tool: its name, schemas, command and description. */
export function validateTool(tool: ToolDefinition<never>): ToolProblem[] {
  const problems: ToolProblem[] = []
  const report: Report = (kind, place, message, suggestion) =>
    void problems.push({ kind, tool: tool.name, place, message, suggestion })
  validateShape(tool, report)
  if (problems.length > 0) return problems
  validateName(tool, report)
  validateCommand(tool, report)
  validateTimeout(tool, report)
  const schema = validateSchemas(tool, report)
  if (schema) validateParameters(tool, schema, report)
  if (schema) validatePlaces(tool, schema, report)
  if (schema) validateDefaults(tool, report)
  validateDescription(tool, report)
  if (problems.length === 0) validateExamples(tool, report)
  return problems
}

/** Checks types at run time: a definition may come from a file that was not compiled. */
function validateShape(
  { name, description = '', input, output }: ToolDefinition<never>,
  report: Report,
): void {
  if (typeof name !== 'string')
    report('InvalidCliName', 'name', 'it is not text', "name it like 'memo_create'")
  if (typeof description !== 'string')
    report('InvalidDescription', 'description', 'it is not text', 'write markdown')
  for (const [place, schema] of Object.entries({ input, output })) {
    if (!(schema instanceof z.ZodObject))
      report('SchemaValidation', place, 'expected an object with properties', 'use z.object({…})')
  }
}

function validateTimeout({ timeoutMs = 1 }: ToolDefinition<never>, report: Report): void {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMEOUT_MS) return
  const suggestion = `give milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`
  report('SchemaValidation', 'timeoutMs', `it is ${timeoutMs}`, suggestion)
}

/** zod does not validate defaults, so an invalid one would reach the tool. */
function validateDefaults({ input }: ToolDefinition<never>, report: Report): void {
  for (const [name, field] of Object.entries(input.shape)) {
    if (!(field instanceof z.ZodDefault)) continue
    const { innerType, defaultValue } = field.def
    const { error } = z.safeParse(innerType, defaultValue)
    if (!error) continue
    const reason = error.issues.map(({ message }) => message).join(', ')
    report(
      'SchemaValidation',
      `input.${name}`,
      `its default is refused: ${reason}`,
      'give one that it accepts',
    )
  }
}

function validateName({ name }: ToolDefinition<never>, report: Report): void {
  if (!namePattern.test(name) || name.length > LONGEST_NAME) {
    report(
      'InvalidCliName',
      'name',
      `expected lowercase words joined by '_', at most ${LONGEST_NAME} characters`,
      "name it like 'memo_create'",
    )
  }
}

function validateSchemas(tool: ToolDefinition<never>, report: Report): JsonSchema | undefined {
  trySchema(() => jsonSchemaOf(tool.output, 'output'), 'output', report)
  return trySchema(() => jsonSchemaOf(tool.input, 'input'), 'input', report)
}

function trySchema(make: () => JsonSchema, place: string, report: Report): JsonSchema | undefined {
  try {
    const schema = make()
    if (schema.type === 'object' && schema.properties) return schema
    report('SchemaValidation', place, 'expected an object with properties', 'use z.object({…})')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    report('SchemaValidation', place, `JSON Schema cannot say it (${reason})`, 'use types that JSON has')
  }
  return undefined
}

function validateParameters({ cli }: ToolDefinition<never>, schema: JsonSchema, report: Report): void {
  const properties = schema.properties ?? {}
  for (const [name, property] of Object.entries(properties))
    validateParameter({ name, property, isInput: name === cli?.input }, report)
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(properties, name))
      report(
        'SchemaValidation',
        `input.${name}`,
        'it is required and does not exist',
        'add it, or do not require it',
      )
  }
  const taken = new Map<string, string>()
  for (const parameter of parametersOf(schema)) {
    for (const [spelling] of formsOf(parameter)) {
      const other = reservedFlags.has(spelling.replace(/^no-/, '')) ? 'every command' : taken.get(spelling)
      taken.set(spelling, `input.${parameter.name}`)
      if (other === undefined) continue
      report(
        'SchemaValidation',
        `input.${parameter.name}`,
        `--${spelling} already belongs to ${other}`,
        'choose another name',
      )
    }
  }
}

interface NamedProperty {
  readonly name: string
  readonly property: JsonSchema
  /** `--input` fills it, so it needs no flag. */
  readonly isInput: boolean
}

function validateParameter({ name, property, isInput }: NamedProperty, report: Report): void {
  const wrong = (message: string, suggestion: string) =>
    report('SchemaValidation', `input.${name}`, message, suggestion)
  if (
    !parameterPattern.test(name) ||
    name.length > LONGEST_NAME ||
    name === 'constructor' ||
    name === 'prototype'
  )
    wrong('the name cannot be a flag', "use letters, digits and single '_' between words")
  if (isInput) return
  const value = property.type === 'array' ? (property.items ?? {}) : property
  if (!scalarTypes.some((type) => type === value.type)) {
    wrong(
      `its type is ${typeof value.type === 'string' ? `'${value.type}'` : 'not a single one'}`,
      `use ${scalarTypes.join(', ')}, or an array of those`,
    )
  } else if (property.default !== undefined && !isOfType(property.default, property)) {
    wrong('its default is of another type', 'give a default that the schema accepts')
  }
}

function isOfType(value: unknown, { type, items }: JsonSchema): boolean {
  if (type === 'array') return Array.isArray(value) && value.every((item) => isOfType(item, items ?? {}))
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

function validateDescription({ description = '', cli }: ToolDefinition<never>, report: Report): void {
  const about = cli?.about ?? aboutOf(description)
  const wrong = (message: string, suggestion: string) =>
    report('InvalidDescription', 'description', message, suggestion)
  if (description.trim() === '')
    return wrong('it is empty', 'write a markdown file of the same name beside the tool, or set description')
  if (description.length > LONGEST_DESCRIPTION)
    wrong(`it has ${description.length} characters`, `keep to ${LONGEST_DESCRIPTION}: every agent reads it`)
  if (hasControlCharacter(description)) wrong('it has control characters', 'write plain text')
  if ((description.match(/^```/gm)?.length ?? 0) % 2 === 1)
    wrong('a block of code in it does not end', 'close it with ```')
  if (about === undefined)
    wrong('no line of it is prose', 'begin with one sentence that says what the tool does')
  else if (about.length > LONGEST_ABOUT)
    wrong(`its first line has ${about.length} characters`, `keep it to ${LONGEST_ABOUT}, or set cli.about`)
}

function hasControlCharacter(text: string): boolean {
  return /(?![\n\t])\p{Cc}/u.test(text)
}

/** Examples must fit the schema. */
function validateExamples({ description = '', input }: ToolDefinition<never>, report: Report): void {
  for (const [index, example] of examplesIn(description).entries()) {
    const problem = findExampleProblem(example, input)
    if (problem === undefined) continue
    report(
      'InvalidDescription',
      `description, example ${index + 1}`,
      problem,
      'write arguments that the tool takes',
    )
  }
}

function findExampleProblem(example: string, input: ToolDefinition<never>['input']): string | undefined {
  try {
    const { error } = input.strict().safeParse(JSON.parse(example))
    return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ')
  } catch {
    return 'it is not JSON'
  }
}
