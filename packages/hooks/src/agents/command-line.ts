import { type Fields, text, unexpected, valueOf } from './fields.ts'

/** A command as one line for a shell: the line itself, the script of `["bash", "-lc", "…"]`, or quoted words. */
export function commandLine(input: Fields, field: string): string {
  const value = valueOf(input, field)
  if (!Array.isArray(value)) return text(input, field)
  const words: readonly unknown[] = value
  if (!words.every((word) => typeof word === 'string') || words.length === 0) {
    throw unexpected(input, field, { expected: 'a string or a list of strings', value })
  }
  const [program = '', option = '', script] = words
  const isShellScript =
    words.length === 3 && /(?:^|[/\\])(?:ba|da|k|z)?sh$/.test(program) && /^-l?c$/.test(option)
  return isShellScript && script !== undefined ? script : words.map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
