import { PmlError } from '@pml/core/errors'
import type { GlobalFlag, GlobalFlags, OwnWord, Program } from '@pml/tools/cli'
import type { Approval } from '../api/approval.ts'
import { loadCommand } from '../commands/load-command.ts'
import type { CommandFiles } from './command-files.ts'

/** Reserved top-level words: no category and no one-word command may have one of these names. */
export const reservedWords: readonly string[] = ['completions', 'help', 'hook', 'serve', 'servers', 'version']

export const INSECURE_HTTP = 'insecure-http'

const flags: readonly GlobalFlag[] = [
  { flag: 'workspace', value: 'folder', isPath: true, about: 'the workspace, instead of the nearest one' },
  {
    flag: 'frozen',
    hasNegation: true,
    about: 'never write the lockfile; any difference from it is an error',
  },
  { flag: 'offline', about: 'use only what is locked and cached; send no requests' },
  { flag: INSECURE_HTTP, about: 'send the API key over plain HTTP to another machine' },
]

/** The flags of `pml serve`. */
export const serveFlags: readonly GlobalFlag[] = [
  { flag: 'http', about: 'serve on localhost and print a bearer token' },
  { flag: 'port', value: 'number', about: 'the port of --http; by default any free one' },
  { flag: 'registry', about: "offer the registry's own tools instead" },
]

/** The port of `pml serve --http`, 0 for any free one; undefined without `--http`. */
export function portIn(flags: GlobalFlags): number | undefined {
  const text = flags.get('port')
  if (text === undefined) return flags.has('http') ? 0 : undefined
  if (flags.has('http') && /^\d{1,5}$/.test(String(text)) && Number(text) < 65_536) return Number(text)
  throw new PmlError(
    'invalid_arguments',
    'Cannot serve: expected --http with --port and a number up to 65535',
  )
}

/** The exit code of a command that waits for a person's answer. */
const APPROVAL_REQUIRED = 3
const UNHEALTHY = 1
/** The exit code of a verification that failed. */
const NOT_OK = 4

/** `pml` without its commands: flags, words, exit codes and hints. */
export function createProgram(version: string, words: readonly OwnWord[], print?: Program['print']): Program {
  return {
    name: 'pml',
    version,
    about: 'Fetch, lock, approve and run MCPs, and use a registry from the shell.',
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

/** Prints prompts, and what a command prints itself; anything else becomes a table. */
export function createPrint(files: CommandFiles): NonNullable<Program['print']> {
  return async (name, output, layout) => {
    if (output['approvalRequired'] === true) {
      const { printApproval, printHowToContinue } = await import('../workspace/prompts/print-approval.ts')
      const approvals = (output['approvals'] ?? [output]) as Approval[]
      return approvals.map((approval) => printApproval(approval) + printHowToContinue(approval)).join('\n')
    }
    const place = files.findPlace(name)
    return place === undefined ? undefined : (await loadCommand(place)).print?.(output, layout)
  }
}
