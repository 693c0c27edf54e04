import type { HookEvent } from '@pml/hooks'
import { hookedAgents } from '@pml/hooks/agents'

/** Tools of agents that write no files, or whose own calls run the hook too, like subagents. */
const harmless = new Set(hookedAgents.flatMap(({ hooks }) => hooks.harmlessTools))

/** Whether a call may change files that it does not name. */
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

/** Whether files were surveyed before a finished call of this kind, for any agent. */
export function wasWatched({ overTool = '' }: HookEvent): boolean {
  return shells.has(overTool.toLowerCase()) || overTool.startsWith('mcp__')
}

/** Commands that only read, allowed while writes are refused. */
const looks =
  /^(?:cat|cd|cmp|diff|echo|false|file|git (?:diff|log|ls-files|show|status)|grep|head|ls|nl|pwd|rg|stat|tail|true|wc|which)(?: |$)/
const options = / (?:--(?:output|pre|ext-diff|textconv)\b|-O)/

/** Whether a command only reads files. It is still checked afterwards. */
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
