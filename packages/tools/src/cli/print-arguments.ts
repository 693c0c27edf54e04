import { typedWords } from '../command-path.ts'
import type { JsonObject } from '../json-schema.ts'
import { type Parameter, parametersOf } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import { isPositional } from './place-flags.ts'
import { posixQuote } from './posix-quote.ts'

/** Prints arguments as words that `parseCommandLine` reads back. */
export function printArguments(
  { inputSchema, input }: Pick<Command, 'inputSchema' | 'input'>,
  args: JsonObject,
): string[] {
  const flags = parametersOf(inputSchema).flatMap((parameter) =>
    Object.hasOwn(args, parameter.name) ? printParameter(parameter, args[parameter.name]) : [],
  )
  if (input === undefined || !Object.hasOwn(args, input)) return flags
  return [...flags, '--input', JSON.stringify(args[input])]
}

/** Prints a command line for a shell, with positional words where the command takes them. */
export function printCommandLine(program: string, command: Command, args: JsonObject): string {
  const parameters = parametersOf(command.inputSchema)
  const isPlain = (value: unknown) => typeof value !== 'object' && !String(value).startsWith('-')
  const single = parameters.filter((one) => isPositional(one) && isPlain(args[one.name] ?? '-'))
  const list = parameters.filter(({ name }) => name === command.rest && isPlainList(args[name], isPlain))
  const words = [...single, ...list].flatMap(({ name }) => [args[name]].flat().map(String))
  const rest = Object.entries(args).filter(([name]) => ![...single, ...list].some((one) => one.name === name))
  const flags = printArguments(command, Object.fromEntries(rest))
  return [program, ...typedWords(command), ...words, ...flags].map(quoteForShell).join(' ')
}

function isPlainList(value: unknown, isPlain: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isPlain)
}

function printParameter({ flag, type, isArray }: Parameter, value: unknown): string[] {
  if (Array.isArray(value) && isArray)
    return value.length === 0 ? [`--no-${flag}`] : value.flatMap((item) => printValue(flag, item))
  if (type === 'boolean') return [value === true ? `--${flag}` : `--no-${flag}`]
  return printValue(flag, value)
}

function printValue(flag: string, value: unknown): string[] {
  const text = String(value)
  return text.startsWith('--') ? [`--${flag}=${text}`] : [`--${flag}`, text]
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : posixQuote(word)
}
