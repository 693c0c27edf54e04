import { PmlError } from '@pml/core/errors'
import { suggest } from '@pml/core/suggest'
import { typedWords } from '../command-path.ts'
import type { CommandSummary } from './command-source.ts'
import { wordsOf } from './global-flags.ts'
import type { Program } from './program.ts'

type Names = Pick<Program, 'name' | 'words'>

/** The commands in help and completions. */
export function listed(list: readonly CommandSummary[]): CommandSummary[] {
  return list.filter(({ movedTo }) => movedTo === undefined)
}

/** Finds a one-word command. */
export function findSingle(
  list: readonly CommandSummary[],
  word: string | undefined,
): CommandSummary | undefined {
  return list.find(({ category, command }) => category === undefined && command === word)
}

/** Throws `unknown_tool` and suggests the nearest command. */
export function requireCommand(
  list: readonly CommandSummary[],
  [category = '', action = '']: readonly string[],
  program: Names,
): CommandSummary {
  const single = findSingle(list, category)
  if (single) return single
  const actions = commandsIn(list, category, program)
  const found = actions.find(({ command }) => command === action)
  if (found) return found
  const near = suggest(
    action,
    listed(actions).map(({ command }) => command),
  )
  const other = listed(list).find(({ command }) => command === action)
  const better = near === undefined ? other : { category, command: near }
  throw unknown(
    `${category} ${action}`.trim(),
    better && typedWords(better).join(' '),
    `${program.name} ${category}`,
  )
}

/** Throws `unknown_tool` if the category does not exist. */
export function commandsIn(
  list: readonly CommandSummary[],
  category: string,
  program: Names,
): readonly CommandSummary[] {
  const commands = list.filter((command) => command.category === category)
  if (commands.length > 0) return commands
  const tool = list.find(({ name }) => name === category)
  const words = [
    ...listed(list).map((command) => command.category ?? command.command),
    ...wordsOf(program).map(({ word }) => word),
  ]
  throw unknown(
    category,
    tool ? typedWords(tool).join(' ') : suggest(category, words),
    `${program.name} help`,
  )
}

function unknown(words: string, near: string | undefined, help: string): PmlError {
  const hint = near === undefined ? `; "${help}" lists what there is` : `; did you mean '${near}'?`
  const message = words === '' ? 'No command given' : `There is no command '${words.slice(0, 100)}'`
  return new PmlError('unknown_tool', `${message}${hint}`)
}
