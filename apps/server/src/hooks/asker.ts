import type { AgentName, HookEvent } from '@pml/hooks'

/** Which agent wants to do something, and by which of its tools. */
export interface Asker {
  readonly agent: AgentName
  readonly session: string | undefined
  readonly tool: string
}

export function askerOf({ agent, session, call }: HookEvent): Asker {
  return { agent, session, tool: call?.tool ?? '' }
}
