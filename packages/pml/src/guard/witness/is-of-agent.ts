import { hookedAgents } from '@pml/hooks/agents'
import type { Change } from './find-changes.ts'
import type { Held, KeptFiles } from './kept-files.ts'
import type { OpenCall } from './sessions.ts'

/** Whether an agent noted in its own settings what a person answered about a call that is open. */
export function isOfAgent(
  { path, before, after }: Change,
  { open, kept }: { open: readonly OpenCall[]; kept: KeptFiles },
): boolean {
  const read = (held: Held | undefined) => (held ? tryJson(kept.read(held)?.toString('utf8') ?? '') : {})
  const change = { path, before: () => read(before), after: () => read(after), open }
  return hookedAgents.some(({ hooks }) => hooks.isOwnNote?.(change) === true)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
