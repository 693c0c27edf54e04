import type { GlobalFlag, GlobalFlags, OwnWord, Program } from './program.ts'
import type { FlagKind, GivenFlag } from './split-arguments.ts'

export const inputForms = 'one JSON object: itself, a file that holds it, or - for stdin'

/** With the flags of the program they are `reservedFlags`. */
const ownFlags: readonly GlobalFlag[] = [
  {
    flag: 'input',
    value: 'json',
    isPath: true,
    about: `arguments as ${inputForms}`,
  },
  { flag: 'json', about: 'print the output as one line of JSON, errors too' },
  { flag: 'color', about: 'colours, or none', hasNegation: true },
  { flag: 'help', about: 'show help' },
  { flag: 'version', about: 'print the version' },
]

/** The built-in words of every program; `runCli` implements them. */
const ownWords: readonly Omit<OwnWord, 'run'>[] = [
  { word: 'help', about: 'Show help for a command.', examples: ['help add', 'help mcp'] },
  {
    word: 'completions',
    about: 'Print a script that completes commands in bash, zsh or fish.',
    examples: ['completions bash'],
  },
  { word: 'version', about: 'Print the version.' },
]

export function wordsOf({ words }: Pick<Program, 'words'>): readonly Omit<OwnWord, 'run'>[] {
  return [...words, ...ownWords]
}

export function globalFlagsOf({ flags }: Pick<Program, 'flags'>): readonly GlobalFlag[] {
  return [...flags, ...ownFlags]
}

/** Returns the given global flags, without the command's own. */
export function globalFlagsIn(given: readonly GivenFlag[], program: Pick<Program, 'flags'>): GlobalFlags {
  const kinds = globalKindsOf(program)
  return new Map(
    given.filter(({ flag }) => kinds.has(flag)).map(({ flag, text }) => [flag, text ?? true] as const),
  )
}

export function globalKindsOf(program: Pick<Program, 'flags'>): Map<string, FlagKind> {
  const kinds = new Map<string, FlagKind>()
  for (const { flag, value, hasNegation } of globalFlagsOf(program)) {
    kinds.set(flag, value === undefined ? 'switch' : 'value')
    if (hasNegation) kinds.set(`no-${flag}`, 'switch')
  }
  return kinds
}
