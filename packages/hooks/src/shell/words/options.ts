import { isKnown } from './holes.ts'

export interface OptionNames {
  /** Short options with a value: `to` for `-t dir -o file`. */
  readonly values?: string
  /** Long options with a value, without dashes. */
  readonly longValues?: readonly string[]
  /** Options end at the first word, as for wrappers: `timeout 5 cmd -x`. */
  readonly stopsAtWord?: boolean
}

export interface Options {
  /** The value of the last given option of these names; '' for an option without a value. */
  find(...names: readonly string[]): string | undefined
  all(...names: readonly string[]): readonly string[]
  readonly words: readonly string[]
}

/** Parses options like GNU getopt: bundled, with `=`, abbreviated long names, mixed with words. */
export function readOptions(args: readonly string[], names: OptionNames): Options {
  const given: { name: string; value: string }[] = []
  const words: string[] = []
  let at = 0
  const next = () => args[at++] ?? ''
  while (at < args.length) {
    const arg = next()
    if (arg === '--') {
      words.push(...args.slice(at))
      break
    }
    if (arg.startsWith('--')) given.push(readLong(arg.slice(2), names, next))
    else if (/^-[^-]/.test(arg)) given.push(...readShort(arg.slice(1), names, next))
    else {
      words.push(arg)
      if (names.stopsAtWord) {
        words.push(...args.slice(at))
        break
      }
    }
  }
  const all = (...wanted: readonly string[]) =>
    given.filter(({ name }) => wanted.includes(name)).map(({ value }) => value)
  return { all, find: (...wanted) => all(...wanted).at(-1), words }
}

function readLong(text: string, { longValues = [] }: OptionNames, next: () => string) {
  const equals = text.indexOf('=')
  const name = equals < 0 ? text : text.slice(0, equals)
  const full = longValues.includes(name)
    ? name
    : (longValues.find((long) => name.length > 1 && long.startsWith(name)) ?? name)
  if (equals >= 0) return { name: full, value: text.slice(equals + 1) }
  return { name: full, value: longValues.includes(full) ? next() : '' }
}

function readShort(text: string, { values = '' }: OptionNames, next: () => string) {
  const given: { name: string; value: string }[] = []
  for (let index = 0; index < text.length; index++) {
    const name = text[index] ?? ''
    if (!isKnown(name)) break
    if (values.includes(name)) {
      given.push({ name, value: text.slice(index + 1) || next() })
      break
    }
    given.push({ name, value: '' })
  }
  return given
}
