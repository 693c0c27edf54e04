import { suggest } from '@pml/core/suggest'
import type { Issue } from '../check-values.ts'
import { flagOf } from '../parameters.ts'

/** `value` takes the text after `=` or the next word, `boolean` only the text after `=`, `switch` nothing. */
export type FlagKind = 'switch' | 'boolean' | 'value'

export interface GivenFlag {
  /** The name without dashes. */
  readonly flag: string
  readonly text: string | undefined
}

export interface SplitArguments {
  readonly flags: readonly GivenFlag[]
  readonly words: readonly string[]
  /** The remaining arguments, not parsed because there were enough words. */
  readonly rest: readonly string[]
  readonly issues: readonly Issue[]
}

interface SplitRules {
  readonly kinds: ReadonlyMap<string, FlagKind>
  readonly mostWords?: number
}

/** Separates flags from words. A word with two dashes is a flag's value only after `=`. */
export function splitArguments(
  argv: readonly string[],
  { kinds, mostWords = Infinity }: SplitRules,
): SplitArguments {
  const [flags, words, issues]: [GivenFlag[], string[], Issue[]] = [[], [], []]
  let [index, isLiteral] = [0, false]
  while (index < argv.length && words.length < mostWords) {
    const token = argv[index++] ?? ''
    if (isLiteral || isWord(token)) words.push(token)
    else if (token === '--') isLiteral = true
    else {
      const { flag, text } = readFlag(token)
      const kind = kinds.get(flag)
      const next = argv[index]
      if (kind === undefined) issues.push(unknownFlag(token, kinds.keys()))
      else if (kind === 'switch' && text !== undefined) issues.push(noValue(flag))
      else if (kind !== 'value' || text !== undefined) flags.push({ flag, text })
      else if (next === undefined || next.startsWith('--')) issues.push(missingValue(flag, next))
      else flags.push({ flag, text: argv[index++] })
    }
  }
  const rest = argv.slice(index)
  return { flags, words, issues, rest: isLiteral ? ['--', ...rest] : rest }
}

/** Negative numbers and `-` are words; anything else after one dash is likely a typo. */
function isWord(token: string): boolean {
  return !token.startsWith('-') || token === '-' || /^-\.?\d/.test(token)
}

function readFlag(token: string): GivenFlag {
  if (token === '-h') return { flag: 'help', text: undefined }
  const split = token.indexOf('=')
  if (!token.startsWith('--')) return { flag: token, text: undefined }
  return split < 0
    ? { flag: token.slice(2), text: undefined }
    : { flag: token.slice(2, split), text: token.slice(split + 1) }
}

function unknownFlag(token: string, known: Iterable<string>): Issue {
  const [typed = ''] = token.split('=', 1)
  const name = typed.replace(/^-+/, '')
  const flags = [...known]
  const near = flags.find((flag) => flag === flagOf(name)) ?? suggest(name, flags)
  const hint = near === undefined ? '; --help lists them' : `; did you mean --${near}?`
  const literal = typed.startsWith('--') ? '' : '; a word that begins with a dash goes after --'
  return { path: [typed.slice(0, 60)], message: `there is no such flag${hint}${literal}` }
}

function noValue(flag: string): Issue {
  return { path: [`--${flag}`], message: 'it takes no value; leave out = and what follows' }
}

function missingValue(flag: string, next: string | undefined): Issue {
  const hint = next === undefined ? '' : `; if ${next.slice(0, 60)} is the value, tie it: --${flag}=…`
  return { path: [`--${flag}`], message: `expected a value after it, got nothing${hint}` }
}
