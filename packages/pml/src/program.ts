import type { OwnWord, Program } from '@pml/tools/cli'

/** Words that are this program's own, now or soon: no category and no command of one word may be called so. */
export const reservedWords: readonly string[] = [
  'completions',
  'help',
  'hook',
  'init',
  'lock',
  'remove',
  'serve',
  'servers',
  'version',
]

export const INSECURE_HTTP = 'insecure-http'

export function createProgram(version: string, words: readonly OwnWord[]): Program {
  return {
    name: 'pml',
    version,
    about: 'The command line of a PML Registry: what its tools do, from a shell.',
    words,
    flags: [{ flag: INSECURE_HTTP, about: 'send the API key over plain HTTP to another machine' }],
    findHint: ({ code }) =>
      code === 'unauthorized' ? 'Set PML_API_KEY to a key of this registry' : undefined,
  }
}
