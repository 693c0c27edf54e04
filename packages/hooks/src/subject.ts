import { isJsonObject, type HookEvent, type JsonObject, type ToolCall } from './event.ts'
import type { WorkerTask } from './operations/validate-spawn-worker.ts'
import type { ShellFacts } from './shell/words/facts.ts'
import type { World } from './world.ts'
import type { Write } from './writes/write.ts'
import { writesOf } from './writes-of.ts'

/** The subject of a rule. One call may have several: a command that writes two files has three. */
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

const spawnTool = /(?:^|[^a-z])spawn[_-]?workers?$/i

/**
 * Returns the tasks that a call gives to workers: by a tool called `spawn_worker`, or as `{"actions": [{"type":
 * "spawn_worker"}]}`.
 */
function findWorkerTasks(call: ToolCall): WorkerTask[] {
  if (call.kind !== 'mcp' && call.kind !== 'other') return []
  const input = call.kind === 'mcp' ? call.args : call.input
  const own = spawnTool.test(call.tool) ? [input] : []
  const actions = Array.isArray(input['actions']) ? (input['actions'] as unknown[]) : []
  return [...own, ...actions.filter(isSpawnAction)].flatMap((one) => taskOf(one) ?? [])
}

function isSpawnAction(action: unknown): action is JsonObject {
  return isJsonObject(action) && action['type'] === 'spawn_worker'
}

/** Ignores servers that are not a list of names. */
function taskOf({ task, servers }: JsonObject): WorkerTask | undefined {
  if (typeof task !== 'string') return undefined
  const named = Array.isArray(servers) ? servers.filter((server) => typeof server === 'string') : []
  return { task, servers: named }
}
