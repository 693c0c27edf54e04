import { isJsonObject, type JsonObject, type ToolCall } from '../event.ts'
import type { WorkerTask } from './validate-spawn-worker.ts'

const spawnTool = /(?:^|[^a-z])spawn[_-]?workers?$/i

/** The tasks that a call gives to workers: by a tool called `spawn_worker`, or as `{"actions": [{"type": "spawn_worker"}]}`. */
export function findWorkerTasks(call: ToolCall): WorkerTask[] {
  if (call.kind !== 'mcp' && call.kind !== 'other') return []
  const input = call.kind === 'mcp' ? call.args : call.input
  const own = spawnTool.test(call.tool) ? [input] : []
  const actions = Array.isArray(input['actions']) ? (input['actions'] as unknown[]) : []
  return [...own, ...actions.filter(isSpawnAction)].flatMap((one) => taskOf(one) ?? [])
}

function isSpawnAction(action: unknown): action is JsonObject {
  return isJsonObject(action) && action['type'] === 'spawn_worker'
}

/** Servers that are no list of names are none. */
function taskOf({ task, servers }: JsonObject): WorkerTask | undefined {
  if (typeof task !== 'string') return undefined
  const named = Array.isArray(servers) ? servers.filter((server) => typeof server === 'string') : []
  return { task, servers: named }
}
