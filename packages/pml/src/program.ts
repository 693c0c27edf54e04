import type { GlobalFlag, OwnWord, Program } from '@pml/tools/cli'

/** Words that are this program's own, now or soon: no category and no command of one word may be called so. */
export const reservedWords: readonly string[] = [
  'client',
  'completions',
  'help',
  'hook',
  'serve',
  'servers',
  'version',
]

export const INSECURE_HTTP = 'insecure-http'

const flags: readonly GlobalFlag[] = [
  { flag: 'workspace', value: 'folder', isPath: true, about: 'the workspace, instead of the nearest one' },
  { flag: 'frozen', hasNegation: true, about: 'never write the lockfile; what differs from it is an error' },
  { flag: 'offline', about: 'use what is locked and cached, and ask nobody' },
  { flag: INSECURE_HTTP, about: 'send the API key over plain HTTP to another machine' },
]

/** What a program that is not asked cannot know: 3 is "a person must answer first". */
const APPROVAL_REQUIRED = 3
const UNHEALTHY = 1
/** What was to be verified does not hold. */
const NOT_OK = 4

export function createProgram(version: string, words: readonly OwnWord[], print?: Program['print']): Program {
  return {
    name: 'pml',
    version,
    about: 'Fetches, locks, approves and runs MCPs, and does from a shell what the tools of a registry do.',
    words,
    flags,
    findHint: ({ code }) =>
      code === 'unauthorized' ? 'Set PML_API_KEY to a key of this registry' : undefined,
    exitCodeOf: ({ approvalRequired, isHealthy, ok }) => {
      if (approvalRequired === true) return APPROVAL_REQUIRED
      if (ok === false) return NOT_OK
      return isHealthy === false ? UNHEALTHY : 0
    },
    ...(print && { print }),
  }
}
