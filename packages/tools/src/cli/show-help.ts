import { typedWords } from '../command-path.ts'
import type { Run } from './cli.ts'
import { commandsIn, findSingle, listed, requireCommand } from './find-command.ts'
import { wordsOf } from './global-flags.ts'
import { printCategoryHelp, printCommandHelp, printProgramHelp, printWordHelp } from './print-help.ts'

/** Shows help about the program, a category or a command. */
export async function showHelp(
  { program, commands, io, layout, isJson }: Run,
  words: readonly string[],
): Promise<number> {
  const list = await commands.list()
  const [first, action] = words
  const own = wordsOf(program).find(({ word }) => word === first)
  if (isJson) {
    const shown = listed(list).filter((one) => first === undefined || typedWords(one)[0] === first)
    io.print(`${JSON.stringify({ commands: shown })}\n`)
    return 0
  }
  if (first === undefined) io.print(printProgramHelp(program, listed(list), layout))
  else if (own) io.print(printWordHelp(program, own, layout))
  else if (action === undefined && !findSingle(list, first))
    io.print(printCategoryHelp(program, commandsIn(listed(list), first, program), layout))
  else {
    const { name } = requireCommand(list, words, program)
    io.print(printCommandHelp(program, await commands.load(name), layout))
  }
  return 0
}
