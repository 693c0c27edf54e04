import { invalidArguments } from '../check-values.ts'
import type { Run } from './cli.ts'
import { findSingle, listed, requireCommand } from './find-command.ts'
import { globalFlagsIn, globalKindsOf } from './global-flags.ts'
import type { OwnWord } from './program.ts'
import type { NamedCommand } from './run-command.ts'
import { type SplitArguments, splitArguments } from './split-arguments.ts'

/**
 * Runs what the words name: a built-in word, help or a command. Each is loaded on demand to keep start-up short.
 */
export async function runWords(run: Run): Promise<number> {
  const { program, commands, io } = run
  const first = split(run, run.argv, 1)
  const [word] = first.words
  const own = program.words.find((one) => one.word === word)
  if (own) return runOwn(run, own, first)
  if (word === 'version' || isGiven(first, 'version')) {
    const { version } = program
    io.print(run.isJson ? `${JSON.stringify({ version })}\n` : `${version}\n`)
    return 0
  }
  if (word === 'help') return runHelp(run, split(run, first.rest).words)
  if (word === 'completions') return runCompletions(run, split(run, first.rest))
  const list = await commands.list()
  const single = findSingle(list, word)
  if (single) return runNamed(run, { name: single.name, flags: first.flags, argv: first.rest })
  const second = split(run, first.rest, 1)
  const words = [...first.words, ...second.words]
  if (isGiven(first, 'help') || isGiven(second, 'help')) return runHelp(run, words)
  // Without a command, programs that read JSON get an error and people get help.
  if (words.length < 2 && !run.isJson) return runHelp(run, words)
  const { name, movedTo } = requireCommand(list, words, program)
  if (movedTo !== undefined)
    io.tell(`warning: '${program.name} ${words.join(' ')}' is now '${program.name} ${movedTo}'\n`)
  return runNamed(run, { name, flags: [...first.flags, ...second.flags], argv: second.rest })
}

/** A built-in word takes no words, only its own and the global flags. */
async function runOwn(run: Run, own: OwnWord, first: SplitArguments): Promise<number> {
  const program = { ...run.program, flags: [...run.program.flags, ...(own.flags ?? [])] }
  const after = split({ ...run, program }, first.rest)
  const isHelp = isGiven(first, 'help') || isGiven(after, 'help')
  if (isHelp) return runHelp(run, [own.word])
  const [unknown] = after.words
  if (unknown !== undefined)
    throw invalidArguments(own.word, [{ path: [unknown], message: 'there is no such argument' }])
  return own.run(globalFlagsIn([...first.flags, ...after.flags], program))
}

function split({ program }: Run, argv: readonly string[], mostWords?: number): SplitArguments {
  const found = splitArguments(argv, { kinds: globalKindsOf(program), ...(mostWords && { mostWords }) })
  if (found.issues.length > 0) throw invalidArguments(program.name, found.issues)
  return found
}

function isGiven({ flags }: SplitArguments, name: string): boolean {
  return flags.some(({ flag }) => flag === name)
}

async function runNamed(run: Run, named: NamedCommand): Promise<number> {
  const { runCommand } = await import('./run-command.ts')
  return runCommand(run, named)
}

async function runHelp(run: Run, words: readonly string[]): Promise<number> {
  const { showHelp } = await import('./show-help.ts')
  return showHelp(run, words)
}

async function runCompletions(run: Run, given: SplitArguments): Promise<number> {
  if (isGiven(given, 'help')) return runHelp(run, ['completions'])
  const { printCompletions } = await import('./print-completions.ts')
  const list = listed(await run.commands.list())
  const commands = await Promise.all(list.map(({ name }) => run.commands.load(name)))
  const script = printCompletions(given.words, { program: run.program, commands })
  run.io.print(run.isJson ? `${JSON.stringify({ script })}\n` : script)
  return 0
}
