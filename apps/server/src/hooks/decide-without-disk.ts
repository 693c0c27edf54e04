import { decide, findCommand, type Decision, type HookEvent, type Policy, type World } from '@pml/hooks'
import { readCommand, readPowerShell, type ShellFacts } from '@pml/hooks/shell'

/** The machine of a caller that nobody here can look at: files may hold anything, and links are not known. */
const noDisk: World = {
  home: '',
  readFile: () => ({ kind: 'unknown' }),
  realPath: (path) => path,
  otherNames: () => [],
  expand: (pattern) => [pattern.replaceAll(/\*+/g, '-')],
}

/**
 * By the event alone. Globs are from the folder that the agent works in; what a lockfile says is only known where the
 * lockfile is.
 */
export function decideWithoutDisk(policy: Policy, event: HookEvent): Decision {
  const guarded = [{ root: event.cwd, policy }]
  return decide(event, { guarded, world: noDisk, shell: findShellFacts(event), refusals: [] })
}

function findShellFacts({ cwd, call }: HookEvent): ShellFacts | undefined {
  const command = findCommand(call)
  if (command === undefined) return undefined
  const read = call?.kind === 'shell' && call.dialect === 'powershell' ? readPowerShell : readCommand
  return read(command, { cwd, home: noDisk.home })
}
