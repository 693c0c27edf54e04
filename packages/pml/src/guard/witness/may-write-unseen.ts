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
