import type { Run } from './cli.ts'
import { commandsIn, requireCommand } from './find-command.ts'
import { printCategoryHelp, printCommandHelp, printProgramHelp } from './print-help.ts'

/** About the program, a category or a command, after how many words there are. */
export async function showHelp(
  { program, commands, io, layout }: Run,
  words: readonly string[],
): Promise<number> {
  const list = await commands.list()
  const [category, action] = words
  if (category === undefined) io.print(printProgramHelp(program, list, layout))
  else if (action === undefined)
    io.print(printCategoryHelp(program, commandsIn(list, category, program), layout))
  else {
    const { name } = requireCommand(list, words, program)
    io.print(printCommandHelp(program, await commands.load(name), layout))
  }
  return 0
}
