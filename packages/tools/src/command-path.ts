import type { CommandWish } from './tool.ts'

/** `memo_get_all` is the command `memo get-all`: the category is the first word, for any word. */
export interface CommandPath {
  readonly category: string | undefined
  readonly command: string
}

export function commandPathOf(name: string, wish: CommandWish = {}): CommandPath {
  const split = name.indexOf('_')
  const category = split > 0 ? name.slice(0, split) : undefined
  return {
    category: wish.category ?? category,
    command: wish.name ?? name.slice(split + 1).replaceAll('_', '-'),
  }
}
