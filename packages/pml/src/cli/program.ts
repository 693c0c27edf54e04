import { PmlError } from '@pml/core/errors'
import type { GlobalFlag, GlobalFlags, OwnWord, Program } from '@pml/tools/cli'

/** Reserved top-level words: no category and no one-word command may have one of these names. */
export const reservedWords: readonly string[] = ['completions', 'help', 'hook', 'serve', 'servers', 'version']

export const INSECURE_HTTP = 'insecure-http'

const flags: readonly GlobalFlag[] = [
  { flag: 'workspace', value: 'folder', isPath: true, about: 'the workspace, instead of the nearest one' },
  { flag: 'frozen', hasNegation: true, about: 'never write the lockfile; what differs from it is an error' },
  { flag: 'offline', about: 'use what is locked and cached, and ask nobody' },
  { flag: INSECURE_HTTP, about: 'send the API key over plain HTTP to another machine' },
]

/** Those of `pml serve`. */
export const serveFlags: readonly GlobalFlag[] = [
  { flag: 'http', about: 'serve on localhost and print a bearer token' },
  { flag: 'port', value: 'number', about: 'where --http listens (any free one without it)' },
  { flag: 'registry', about: "offer the registry's own tools instead" },
]

/** Undefined: not over HTTP. */
export function portIn(flags: GlobalFlags): number | undefined {
  const text = flags.get('port')
  if (text === undefined) return flags.has('http') ? 0 : undefined
  if (flags.has('http') && /^\d{1,5}$/.test(String(text)) && Number(text) < 65_536) return Number(text)
  throw new PmlError(
    'invalid_arguments',
    'Cannot serve: expected --http with --port and a number up to 65535',
  )
}

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
