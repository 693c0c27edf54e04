import type { Operation } from '../policy/policy.ts'
import { detectOperations, getRequiredMcpServers } from './detect-operation.ts'

/** A task that is given to a worker, and the MCP servers that it gets for it. */
export interface WorkerTask {
  readonly task: string
  readonly servers: readonly string[]
}

interface SpawnValidation {
  readonly valid: boolean
  /** Operations of the task that lack a server. */
  readonly missing: readonly Operation[]
  /** Requested and missing servers, without duplicates. */
  readonly servers: readonly string[]
}

/** Every server that is missing is named, not only the first. */
export function validateSpawnWorker(
  operations: readonly Operation[],
  { task, servers }: WorkerTask,
): SpawnValidation {
  const given = new Set(servers.map((server) => server.toLowerCase()))
  const missing = detectOperations(operations, task).filter(({ server }) => !given.has(server.toLowerCase()))
  const corrected = new Set([...servers, ...getRequiredMcpServers(missing, task)])
  return { valid: missing.length === 0, missing, servers: [...corrected] }
}
