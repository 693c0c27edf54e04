import type { AgentName } from '@pml/hooks'
import type { HookLine, HookSettings, Scope } from '@pml/hooks/agents'
import type { Ops } from '../machine/ops.ts'
import { findInProject, ownCommand } from '../machine/own-command.ts'

interface PlacedLine extends HookLine {
  /** Whether its script exists only on this machine. */
  readonly isOfThisMachine: boolean
}

interface LinePlace {
  readonly agent: AgentName
  readonly scope: Scope
  readonly root: string
  readonly settings: HookSettings
}

export async function hookLineFor(
  { execPath }: Pick<Ops, 'execPath'>,
  { agent, scope, root, settings }: LinePlace,
): Promise<PlacedLine> {
  const { inProject } = settings
  const shared = scope === 'project' && inProject ? await findInProject(root) : undefined
  const path = shared === undefined ? ownCommand() : `${inProject?.exec}${shared}`
  const script = shared === undefined ? quoteForSh(path) : `${inProject?.sh}${shared}`
  // A project is shared, and Node is elsewhere for others. User settings must work without a PATH.
  const program = scope === 'project' ? 'node' : execPath
  return {
    sh: shLine({ agent, settings, script, start: `${quoteForSh(program)} ${script} hook --agent ${agent}` }),
    powershell: `& ${quoteForPowerShell(program)} ${quoteForPowerShell(path)} hook --agent ${agent}; if ($LASTEXITCODE -ne 0) { exit 2 }`,
    program,
    args: [path, 'hook', '--agent', agent],
    isOfThisMachine: shared === undefined,
  }
}

/** Shorter than the agent's limit and longer than pml's own. */
const LIMIT_SECONDS = 25

/**
 * Runs pml for an agent that treats every exit code but 2, and a timeout, as a yes. The agent and its person read the output.
 * At the limit it kills pml with all its descendants. By hand, because `timeout` and `setsid` are not on every machine and
 * `set -m` needs a terminal.
 */
function shLine({
  agent,
  settings,
  script,
  start,
}: {
  agent: AgentName
  settings: HookSettings
  script: string
  start: string
}): string {
  const action = quoteForSh(`ACTION::Ask your person to run: pml hooks doctor --agent ${agent}`)
  const reason = '"pml itself $1. Nothing was judged, so this was refused."'
  return [
    `pml_block() { printf '%s\\n' BLOCKED::HOOK_FAILED ${action} ${reason} >&2; ${sayInJson(agent, settings)}exit 2; }`,
    // Processes are stopped first, one generation at a time, so that nothing is started meanwhile.
    'pml_end() { kill -STOP "$@"; pml_more=$(pgrep -P "$(IFS=,; echo "$*")" || for pml_one; do cat /proc/$pml_one/task/*/children; done); ' +
      '[ -z "$pml_more" ] || pml_end $pml_more; kill -9 "$@"; }',
    `[ -f ${script} ] || pml_block "is not at "${script}`,
    // A failing `exec` ends the shell at once, so it is tried in a subshell.
    '(exec 3<&0) 2>/dev/null || pml_block "got no standard input"',
    // A background command would get an empty stdin.
    `exec 3<&0; ${start} <&3 3<&- & pml=$!`,
    `(PATH=$PATH:/usr/bin:/bin; sleep ${LIMIT_SECONDS} & trap "kill $!" TERM; wait $! && pml_end $pml) >/dev/null 2>&1 3<&- & pml_limit=$!`,
    'wait $pml 2>/dev/null; pml_exit=$?; kill $pml_limit 2>/dev/null',
    'case $pml_exit in 0|2) exit $pml_exit;; esac',
    `wait $pml_limit 2>/dev/null && pml_block "took longer than ${LIMIT_SECONDS} s"`,
    'pml_block "failed with code $pml_exit"',
  ].join('; ')
}

/** Prints the reason as JSON, which is all that some models read. Constant text: a path could break the JSON. */
function sayInJson(agent: AgentName, { failure }: HookSettings): string {
  if (failure === undefined) return ''
  const reason = [
    'BLOCKED::HOOK_FAILED',
    `ACTION::Ask your person to run: pml hooks doctor --agent ${agent}`,
    'pml itself failed. Nothing was judged, so this was refused.',
  ].join('\n')
  return `printf '%s\\n' ${quoteForSh(JSON.stringify(failure(reason)))}; `
}

function quoteForSh(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function quoteForPowerShell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`
}
