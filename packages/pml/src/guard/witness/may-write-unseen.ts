import type { HookEvent } from '@pml/hooks'
import { hookedAgents } from '@pml/hooks/agents'

/** Tools of agents that write no file, or whose own calls come by a hook too, as those of subagents do. */
const harmless = new Set(hookedAgents.flatMap(({ hooks }) => hooks.harmlessTools))

/** Whether a call may change files that nothing in it names. */
export function mayWriteUnseen({ call }: HookEvent): boolean {
  switch (call?.kind) {
    case 'shell':
    case 'mcp':
      return true
    case 'other':
      return !harmless.has(call.tool.toLowerCase())
    default:
      return false
  }
}

const shells = new Set(hookedAgents.flatMap(({ hooks }) => hooks.shellTools))

/** Whether the call that is over is of a kind before which files are looked at, whatever the agent. */
export function wasWatched({ overTool = '' }: HookEvent): boolean {
  return shells.has(overTool.toLowerCase()) || overTool.startsWith('mcp__')
}

/** Enough to find out what is wrong while writes are refused. */
const looks =
  /^(?:cat|cd|cmp|diff|echo|false|file|git (?:diff|log|ls-files|show|status)|grep|head|ls|nl|pwd|rg|stat|tail|true|wc|which)(?: |$)/
const options = / (?:--(?:output|pre|ext-diff|textconv)\b|-O)/

/** Whether a command does no more than show files. It is looked at afterwards like any other. */
export async function onlyLooks({ call, cwd }: HookEvent, home: string): Promise<boolean> {
  if (call?.kind !== 'shell' || call.dialect !== 'bash') return false
  const { readCommand } = await import('@pml/hooks/shell')
  const { commands, writes, code, unknowns, isWhole } = readCommand(call.command, { cwd, home })
  return (
    isWhole &&
    commands.length > 0 &&
    [writes, code, unknowns].every(({ length }) => length === 0) &&
    commands.every((command) => looks.test(command) && !options.test(command))
  )
}
