import type { AgentName } from '@pml/hooks'
import type { HookLine, HookSettings, Scope } from '@pml/hooks/agents'
import type { Ops } from '../machine/ops.ts'
import { findInProject, ownCommand } from '../machine/own-command.ts'

interface PlacedLine extends HookLine {
  /** The file that it runs is found on this machine only. */
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
  // A project is for everyone, wherever their Node is; hooks of a user must work where no PATH was set up.
  const program = scope === 'project' ? 'node' : execPath
  return {
    sh: shLine({ agent, settings, script, start: `${quoteForSh(program)} ${script} hook --agent ${agent}` }),
    powershell: `& ${quoteForPowerShell(program)} ${quoteForPowerShell(path)} hook --agent ${agent}; if ($LASTEXITCODE -ne 0) { exit 2 }`,
    program,
    args: [path, 'hook', '--agent', agent],
    isOfThisMachine: shared === undefined,
  }
}

/** Less than the limit that agents are given, longer than pml gives itself. */
const LIMIT_SECONDS = 25

/**
 * Runs pml for an agent that takes any failure but 2, and a hook that is too slow, for a yes. What it prints is read by the
 * agent and by its person. It ends pml with everything that pml started, whatever that is busy with: `timeout` and `setsid`
 * are not on every machine, and `set -m` needs a terminal.
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
    // Stopped first, so that nothing is started meanwhile; a generation at a time, since each look takes a while.
    'pml_end() { kill -STOP "$@"; pml_more=$(pgrep -P "$(IFS=,; echo "$*")" || for pml_one; do cat /proc/$pml_one/task/*/children; done); ' +
      '[ -z "$pml_more" ] || pml_end $pml_more; kill -9 "$@"; }',
    `[ -f ${script} ] || pml_block "is not at "${script}`,
    // A shell that cannot copy it ends on the spot, some of them with 1.
    '(exec 3<&0) 2>/dev/null || pml_block "got no standard input"',
    // A command in the background would read from nothing.
    `exec 3<&0; ${start} <&3 3<&- & pml=$!`,
    `(PATH=$PATH:/usr/bin:/bin; sleep ${LIMIT_SECONDS} & trap "kill $!" TERM; wait $! && pml_end $pml) >/dev/null 2>&1 3<&- & pml_limit=$!`,
    'wait $pml 2>/dev/null; pml_exit=$?; kill $pml_limit 2>/dev/null',
    'case $pml_exit in 0|2) exit $pml_exit;; esac',
    `wait $pml_limit 2>/dev/null && pml_block "took longer than ${LIMIT_SECONDS} s"`,
    'pml_block "failed with code $pml_exit"',
  ].join('; ')
}

/** Some models read the JSON beside exit 2 alone. The words are fixed: a path could break the JSON. */
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
