import { suggest } from '@pml/core/suggest'
import { type Issue, invalidArguments } from '../check-values.ts'
import type { JsonObject } from '../json-schema.ts'
import { type Parameter, parametersOf } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import type { CliIo } from './cli-io.ts'
import { type Given, placeFlags } from './place-flags.ts'
import type { SplitArguments } from './split-arguments.ts'
import { valueOf } from './value-of.ts'

/** The words after the command, split into flags and words. */
interface CommandLine extends Omit<SplitArguments, 'rest'> {
  readonly command: Command
  readonly io: CliIo
}

/**
 * Parses a command line into tool arguments; defaults are left to the schema. Throws one `invalid_arguments` with
 * all problems.
 */
export async function parseCommandLine(line: CommandLine): Promise<JsonObject> {
  const { command, io } = line
  const parameters = parametersOf(command.inputSchema)
  const { given, issues } = placeFlags(line, parameters)
  const inputs = line.flags.flatMap(({ flag, text }) => (flag === 'input' && text !== undefined ? text : []))
  requireOneReader({ command, given, inputs, issues })
  const args = new Map<string, unknown>()
  for (const [name, value] of await readInput(inputs, { command, issues, io })) args.set(name, value)
  for (const parameter of parameters) {
    const written = given.get(parameter.name)
    if (written) {
      const { value, wrong } = await valueOf(parameter, written, io)
      args.set(parameter.name, value)
      issues.push(...wrong.map((message) => ({ path: [parameter.name], message })))
    } else if (parameter.isRequired && !args.has(parameter.name)) issues.push(missing(parameter))
  }
  if (issues.length > 0) throw invalidArguments(command.name, issues)
  return Object.fromEntries(args)
}

interface Readers {
  readonly command: Command
  readonly given: ReadonlyMap<string, readonly Given[]>
  readonly inputs: readonly string[]
  readonly issues: readonly Issue[]
}

/** Checked before reading: stdin can be read only once, and `--input` is allowed only once. */
function requireOneReader({ command, given, inputs, issues }: Readers): void {
  const files = [...given.values()].flat().flatMap(({ form, text }) => (form === 'file' ? (text ?? []) : []))
  const readers = [...inputs, ...files].filter((path) => path === '-')
  const wrong: Issue[] = []
  if (inputs.length > 1)
    wrong.push({ path: ['--input'], message: `expected it once, got it ${inputs.length} times` })
  if (readers.length > 1)
    wrong.push({ path: ['-'], message: 'stdin can be read once; write all but one of them to files' })
  if (wrong.length > 0) throw invalidArguments(command.name, [...issues, ...wrong])
}

interface Reading {
  readonly command: Command
  readonly issues: Issue[]
  readonly io: CliIo
}

/** The arguments from `--input`. The tool validates them, as on every surface. */
async function readInput(
  [path]: readonly string[],
  { command, issues, io }: Reading,
): Promise<[string, unknown][]> {
  if (path === undefined) return []
  const { readJsonInput } = await import('./read-json-input.ts')
  const input = await readJsonInput(io, path)
  if ('wrong' in input) {
    issues.push({ path: ['--input'], message: input.wrong })
    return []
  }
  if (command.input !== undefined) return [[command.input, input.value]]
  const names = Object.keys(command.inputSchema.properties ?? {})
  const entries = Object.entries(input.value)
  issues.push(...entries.filter(([key]) => !names.includes(key)).map(([key]) => unknownKey(key, names)))
  return entries.filter(([key]) => names.includes(key))
}

function unknownKey(key: string, names: readonly string[]): Issue {
  const near = suggest(key, names)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return { path: [key.slice(0, 60)], message: `there is no such parameter${hint}` }
}

function missing({ name, flag }: Parameter): Issue {
  return { path: [name], message: `it is required; give it by --${flag}` }
}
