import { typedWords } from '../command-path.ts'
import type { Run } from './cli.ts'
import { flagKindsOf } from './flag-kinds.ts'
import { globalFlagsIn } from './global-flags.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { printOutput } from './print-output.ts'
import { type GivenFlag, splitArguments } from './split-arguments.ts'

export interface NamedCommand {
  /** The tool's name. */
  readonly name: string
  /** Flags before the command. */
  readonly flags: readonly GivenFlag[]
  /** Words after the command. */
  readonly argv: readonly string[]
}

/** Loads a command, calls it and prints its output. */
export async function runCommand(run: Run, { name, flags, argv }: NamedCommand): Promise<number> {
  const { program, io, layout, isJson, signal } = run
  const command = await run.commands.load(name)
  const split = splitArguments(argv, { kinds: flagKindsOf(command, program) })
  const given = [...flags, ...split.flags]
  const globals = globalFlagsIn(given, program)
  if (globals.has('help')) {
    const { showHelp } = await import('./show-help.ts')
    return showHelp(run, typedWords(command))
  }
  const args = await parseCommandLine({ ...split, flags: given, command, io })
  const output = await run.call({ name, args, signal }, globals)
  const print = async () => (await program.print?.(name, output, layout)) ?? printOutput(output, layout)
  io.print(isJson ? `${JSON.stringify(output)}\n` : await print())
  return program.exitCodeOf?.(output) ?? 0
}
