import type { CommandOptions } from './tool.ts'

/** `memo_get_all` is the command `memo get-all`: the first word is the category. */
export interface CommandPath {
  /** Undefined for a one-word command. */
  readonly category?: string | undefined
  readonly command: string
}

export function commandPathOf(name: string, request: CommandOptions = {}): CommandPath {
  if (request.word !== undefined) return { command: request.word }
  const split = name.indexOf('_')
  const category = split > 0 ? name.slice(0, split) : undefined
  return {
    category: request.category ?? category,
    command: request.name ?? name.slice(split + 1).replaceAll('_', '-'),
  }
}

/** The typed words: `memo` and `get-all`, or `fetch` alone. */
export function typedWords({ category, command }: CommandPath): string[] {
  return category === undefined ? [command] : [category, command]
}

/** No two commands may have the same words, and no command may look like a whole category. */
export function areInConflict(one: CommandPath, other: CommandPath): boolean {
  const [first, ...action] = typedWords(one)
  const [otherFirst, ...otherAction] = typedWords(other)
  if (first !== otherFirst) return false
  return action.length === 0 || otherAction.length === 0 || action[0] === otherAction[0]
}
