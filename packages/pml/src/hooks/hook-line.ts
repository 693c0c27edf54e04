import type { AgentName } from '@pml/hooks'
import type { Ops } from '../ops.ts'
import { findInProject, ownCommand } from '../own-command.ts'
import type { Scope } from './agent-settings.ts'

/** How a hook starts pml. */
export interface HookLine {
  readonly agent: AgentName
  /** The line for `sh`: whatever goes wrong, it ends with 2, which blocks in agents that let failures through as well. */
  readonly sh: string
  readonly powershell: string
  /** Without a shell. */
  readonly program: string
  readonly args: readonly string[]
  /** The file that it runs is found on this machine only. */
  readonly isOfThisMachine: boolean
}

interface LinePlace {
  readonly agent: AgentName
  readonly scope: Scope
  readonly root: string
  /** What the path of a file in the project begins with; undefined where the agent starts hooks somewhere else. */
  readonly inProject: { readonly sh: string; readonly exec: string } | undefined
}

export async function hookLineFor(
  { execPath }: Pick<Ops, 'execPath'>,
  { agent, scope, root, inProject }: LinePlace,
): Promise<HookLine> {
  const shared = scope === 'project' && inProject ? await findInProject(root) : undefined
  const path = shared === undefined ? ownCommand() : `${inProject?.exec}${shared}`
  const script = shared === undefined ? quoteForSh(path) : `${inProject?.sh}${shared}`
  // A project is for everyone, wherever their Node is; hooks of a user must work where no PATH was set up.
  const program = scope === 'project' ? 'node' : execPath
  return {
    agent,
    sh: `${quoteForSh(program)} ${script} hook --agent ${agent} || ${blockingIn(agent)}`,
    powershell: `& ${quoteForPowerShell(program)} ${quoteForPowerShell(path)} hook --agent ${agent}; if ($LASTEXITCODE -ne 0) { exit 2 }`,
    program,
    args: [path, 'hook', '--agent', agent],
    isOfThisMachine: shared === undefined,
  }
}

/** For an agent that would take any other failure for a yes. What it says is read by the agent and by its person. */
function blockingIn(agent: AgentName): string {
  const action = `ACTION::Ask your person to run: pml hooks doctor --agent ${agent}`
  const reason = '"pml itself failed with code $pml_exit. Nothing was judged, so this was refused."'
  const words = `printf '%s\\n' BLOCKED::HOOK_FAILED ${quoteForSh(action)} ${reason} >&2`
  return `{ pml_exit=$?; [ $pml_exit = 2 ] || ${words}; exit 2; }`
}

function quoteForSh(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function quoteForPowerShell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`
}
