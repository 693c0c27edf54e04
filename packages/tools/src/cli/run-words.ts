import { invalidArguments } from '../check-values.ts'
import type { Run } from './cli.ts'
import { requireCommand } from './find-command.ts'
import { globalKindsOf } from './global-flags.ts'
import { type SplitArguments, splitArguments } from './split-arguments.ts'

/**
 * From the words of a command line to what they name: a word of the program's own, help, or a command. Each is loaded
 * when it is named, since a command line lives shorter than its code takes to load.
 */
export async function runWords(run: Run): Promise<number> {
  const { program, commands, io } = run
  const first = split(run, run.argv, 1)
  const [word] = first.words
  const own = program.words.find((one) => one.word === word)
  if (own) return own.run(first.rest)
  if (word === 'version' || isGiven(first, 'version')) {
    io.print(`${program.version}\n`)
    return 0
  }
  if (word === 'help') return runHelp(run, split(run, first.rest).words)
  if (word === 'completions') return runCompletions(run, split(run, first.rest))
  const second = split(run, first.rest, 1)
  const words = [...first.words, ...second.words]
  if (isGiven(first, 'help') || isGiven(second, 'help')) return runHelp(run, words)
  // A program that reads JSON is told that the command is missing; a person sees what there is.
  if (words.length < 2 && !run.isJson) return runHelp(run, words)
  const { name } = requireCommand(await commands.list(), words, program)
  const { runCommand } = await import('./run-command.ts')
  return runCommand(run, { name, flags: [...first.flags, ...second.flags], argv: second.rest })
}

function split({ program }: Run, argv: readonly string[], mostWords?: number): SplitArguments {
  const found = splitArguments(argv, { kinds: globalKindsOf(program), ...(mostWords && { mostWords }) })
  if (found.issues.length > 0) throw invalidArguments(program.name, found.issues)
  return found
}

function isGiven({ flags }: SplitArguments, name: string): boolean {
  return flags.some(({ flag }) => flag === name)
}

async function runHelp(run: Run, words: readonly string[]): Promise<number> {
  const { showHelp } = await import('./show-help.ts')
  return showHelp(run, words)
}

async function runCompletions(run: Run, given: SplitArguments): Promise<number> {
  if (isGiven(given, 'help')) return runHelp(run, [])
  const { printCompletions } = await import('./completions/print-completions.ts')
  const list = await run.commands.list()
  const commands = await Promise.all(list.map(({ name }) => run.commands.load(name)))
  run.io.print(printCompletions(given.words, { program: run.program, commands }))
  return 0
}
