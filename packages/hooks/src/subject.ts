import type { HookEvent, JsonObject } from './event.ts'
import { findWorkerTasks } from './operations/find-worker-tasks.ts'
import type { WorkerTask } from './operations/validate-spawn-worker.ts'
import type { ShellFacts } from './shell/words/facts.ts'
import type { World } from './world.ts'
import type { Write } from './writes/write.ts'
import { writesOf } from './writes-of.ts'

/** What a rule is asked about. One call may be several: a command that writes two files is three. */
export type RuleSubject =
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'shell'; readonly facts: ShellFacts }
  | { readonly kind: 'mcp'; readonly args: JsonObject }
  | { readonly kind: 'spawn'; readonly work: WorkerTask }

export function subjectsOf(event: HookEvent, world: World, shell: ShellFacts | undefined): RuleSubject[] {
  const { call } = event
  if (!call) return []
  return [
    ...writesOf(event, world, shell).map((write) => ({ kind: 'write' as const, write })),
    ...(shell ? [{ kind: 'shell' as const, facts: shell }] : []),
    ...(call.kind === 'mcp' ? [{ kind: 'mcp' as const, args: call.args }] : []),
    ...findWorkerTasks(call).map((work) => ({ kind: 'spawn' as const, work })),
  ]
}
