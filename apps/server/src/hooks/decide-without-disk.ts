import { decide, findCommand, type Decision, type HookEvent, type Policy, type World } from '@pml/hooks'
import { readCommand, readPowerShell, type ShellFacts } from '@pml/hooks/shell'

/** The caller's machine, which the server cannot read: file contents and links are unknown. */
const noDisk: World = {
  home: '',
  readFile: () => ({ kind: 'unknown' }),
  realPath: (path) => path,
  otherNames: () => [],
  expand: (pattern) => [pattern.replaceAll(/\*+/g, '-')],
}

/**
 * Decides from the event alone. Globs are relative to the agent's working folder. Rules about the lockfile do not apply,
 * because it is on the caller's machine.
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
