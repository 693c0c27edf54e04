import { commandPathOf } from './command-path.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Report } from './tool-problem.ts'
import type { CommandOptions, ToolDefinition } from './tool.ts'

type WithCommand = Pick<ToolDefinition<never>, 'name' | 'cli'>

const categoryPattern = /^[a-z][a-z0-9]*$/
const commandPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const wordPattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** Finds problems of a tool's command words. */
export function validateCommand({ name, cli }: WithCommand, report: Report): void {
  if (cli?.hidden) return
  if (cli?.word === undefined) validatePath({ name, cli }, report)
  else validateWord(cli, report)
}

/** Finds problems of a command's positional parameters. */
export function validatePlaces({ cli }: WithCommand, schema: JsonSchema, report: Report): void {
  const { rest, input } = cli ?? {}
  if (rest !== undefined && findProperty(schema, rest)?.type !== 'array')
    report('SchemaValidation', 'cli.rest', `'${rest}' is no list`, 'name a parameter that is an array')
  if (input !== undefined) validateInput(input, schema, report)
}

/** Must be optional, because a command line can omit `--input`. */
function validateInput(input: string, schema: JsonSchema, report: Report): void {
  const property = findProperty(schema, input)
  const wrong = (message: string) =>
    report('SchemaValidation', 'cli.input', `'${input}' ${message}`, 'name an object that is optional or {}')
  if (property?.type !== 'object') wrong('is not an object')
  else if (schema.required?.includes(input)) wrong('is required')
  else if (Object.keys(property.default ?? {}).length > 0) wrong('has a default with members')
}

function findProperty({ properties = {} }: JsonSchema, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function validateWord({ word = '', category, name }: CommandOptions, report: Report): void {
  if (!wordPattern.test(word))
    report('InvalidCliName', 'cli.word', `'${word}' is not one lowercase word`, "use letters, digits and '-'")
  if (category !== undefined || name !== undefined)
    report('InvalidCliName', 'cli.word', 'a category or a name stands beside it', 'keep the word or those')
}

function validatePath({ name, cli }: WithCommand, report: Report): void {
  const { category, command } = commandPathOf(name, cli)
  if (category === undefined) {
    report(
      'MissingCliCategory',
      'name',
      "the name has no '_' to end a category",
      "name it 'category_action', or set cli.category, cli.word or cli.hidden",
    )
  } else if (!categoryPattern.test(category)) {
    report(
      'InvalidCliName',
      'cli.category',
      `'${category}' is not one lowercase word`,
      'use letters and digits',
    )
  }
  if (!commandPattern.test(command)) {
    report('InvalidCliName', 'cli.name', `'${command}' cannot be typed`, "use lowercase words joined by '-'")
  }
}
