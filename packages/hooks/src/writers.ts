import { hookedAgents } from './agents/find-agent.ts'
import type { ObservedWriter } from './description/agent.ts'
import type { Writer } from './writes/writer.ts'

/** An unobserved tool: its result is known if all observed agents would write the same. */
const unobserved: Writer = {
  write: (overwrite) => agreed('write', (one) => one.write(overwrite)),
  edit: (text, edits) => agreed('edit', (one) => one.edit(text, edits)),
  patch: (text, hunks) => agreed('patch', (one) => one.patch(text, hunks)),
}

/** What an agent's tools leave on disk; an undefined tool was never observed. */
export function writerOf(agent: string | undefined): Writer {
  return hookedAgents.find(({ name }) => name === agent)?.hooks.writer ?? unobserved
}

function agreed(
  kind: keyof Writer,
  write: (writer: ObservedWriter) => string | undefined,
): string | undefined {
  const texts = hookedAgents
    .flatMap(({ hooks }) => hooks.writer ?? [])
    .filter(({ standsFor }) => standsFor.includes(kind))
    .map(write)
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined
}
