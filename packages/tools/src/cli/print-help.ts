import { typedWords } from '../command-path.ts'
import { type Parameter, parametersOf } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import type { CommandSummary } from './command-source.ts'
import { globalFlagsOf, inputForms, wordsOf } from './global-flags.ts'
import { heading, type Layout, printable, printRows } from './layout.ts'
import { isPositional } from './place-flags.ts'
import { printCommandLine } from './print-arguments.ts'
import type { GlobalFlag, OwnWord, Program } from './program.ts'

type Row = readonly [string, string]

/** Prints the overview: one-word commands, a line per category, and built-in words. */
export function printProgramHelp(
  program: Program,
  commands: readonly CommandSummary[],
  layout: Layout,
): string {
  const singles = commands.filter(({ category }) => category === undefined)
  const usage = `${heading('Usage:', layout)} ${program.name}`
  return join([
    singles.length === 0
      ? [`${usage} <category> <action> [flags]`]
      : [`${usage} <command> [flags]`, `       ${program.name} <category> <action> [flags]`],
    [program.about],
    section('Commands', singles.map(rowOfCommand), layout),
    section('Categories', rowsOfCategories(commands), layout),
    section(
      'Also',
      wordsOf(program).map(({ word, about }) => [word, about]),
      layout,
    ),
    section('With every command', globalRows(program), layout),
    [`"${program.name} <category>" lists its actions, "--help" after a command its flags`],
  ])
}

export function printCategoryHelp(
  program: Program,
  commands: readonly CommandSummary[],
  layout: Layout,
): string {
  const [{ category } = { category: '' }] = commands
  return join([
    [`${heading('Usage:', layout)} ${program.name} ${category} <action> [flags]`],
    section('Actions', commands.map(rowOfCommand), layout),
  ])
}

export function printCommandHelp(program: Program, command: Command, layout: Layout): string {
  const parameters = parametersOf(command.inputSchema)
  const words = [
    ...parameters.filter(isPositional).map(({ flag }) => ` <${flag}>`),
    ...parameters.filter(({ name }) => name === command.rest).map(signatureOfRest),
  ]
  const path = [program.name, ...typedWords(command)].join(' ')
  // A command without required parameters is its own example.
  const isBare = command.examples.length === 0 && !parameters.some(({ isRequired }) => isRequired)
  const examples = (isBare ? [{}] : command.examples).map(
    (args) => `  ${printable(printCommandLine(program.name, command, args))}`,
  )
  return join([
    [`${heading('Usage:', layout)} ${path}${words.join('')} [flags]`],
    [printable(command.about)],
    section('Flags', [...parameters.map(rowOf), ...rowsOfInput(command)], layout),
    section('With every command', globalRows(program, command), layout),
    examples.length === 0 ? [] : [heading('Examples:', layout), ...examples],
  ])
}

export function printWordHelp(
  program: Program,
  { word, about, flags = [], examples = [] }: Omit<OwnWord, 'run'>,
  layout: Layout,
): string {
  return join([
    [`${heading('Usage:', layout)} ${program.name} ${word}`],
    [about],
    section('Flags', flags.map(rowOfGlobal), layout),
    section('With every command', globalRows(program), layout),
    [heading('Examples:', layout), ...[word, ...examples].map((line) => `  ${program.name} ${line}`)],
  ])
}

/** `--limit <integer>`, `--[no-]deep`: a flag in help. */
function signatureOf({ flag, type, isArray, choices }: Parameter): string {
  if (type === 'boolean' && !isArray) return `--[no-]${flag}`
  const value = choices === undefined ? type : 'choice'
  return `--${flag} <${value}>${isArray ? '…' : ''}`
}

function signatureOfRest({ flag, isRequired }: Parameter): string {
  return isRequired ? ` <${flag}>…` : ` [${flag}]…`
}

function rowOf(parameter: Parameter): Row {
  const { flag, type, isArray, isRequired, choices, description } = parameter
  const notes = [
    isRequired ? 'required' : '',
    choices === undefined ? '' : `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`,
    parameter.default === undefined ? '' : `default ${JSON.stringify(parameter.default)}`,
    isArray ? `may be repeated, --no-${flag} for none` : '',
    type === 'string' && !isArray && choices === undefined ? `or --${flag}-file <file>` : '',
  ].filter(Boolean)
  return [signatureOf(parameter), `${description}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`]
}

/** Shows `--input` among the command's own flags if it fills one of its parameters. */
function rowsOfInput({ input, inputSchema }: Command): Row[] {
  if (input === undefined) return []
  const description = inputSchema.properties?.[input]?.description ?? ''
  return [['--input <json>', `${description} (${input}, as ${inputForms})`]]
}

function globalRows(program: Program, { input }: Pick<Command, 'input'> = {}): Row[] {
  return globalFlagsOf(program)
    .filter(({ flag }) => flag !== 'input' || input === undefined)
    .map(rowOfGlobal)
}

function rowOfGlobal({ flag, value, about, hasNegation }: GlobalFlag): Row {
  return [`--${hasNegation ? '[no-]' : ''}${flag}${value === undefined ? '' : ` <${value}>`}`, about]
}

function rowOfCommand({ command, about }: CommandSummary): Row {
  return [command, about]
}

/** Lists categories with their actions. */
function rowsOfCategories(commands: readonly CommandSummary[]): Row[] {
  const actions = new Map<string, string>()
  for (const { category, command } of commands) {
    if (category === undefined) continue
    const before = actions.get(category)
    actions.set(category, before === undefined ? command : `${before}, ${command}`)
  }
  return [...actions]
}

function section(title: string, rows: readonly Row[], layout: Layout): string[] {
  return rows.length === 0 ? [] : [heading(`${title}:`, layout), ...printRows(rows, layout)]
}

function join(blocks: readonly (readonly string[])[]): string {
  const filled = blocks.filter((block) => block.some((line) => line !== ''))
  return `${filled.map((block) => block.join('\n')).join('\n\n')}\n`
}
