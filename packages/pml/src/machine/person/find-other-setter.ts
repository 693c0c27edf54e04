import type { Ops } from '../ops.ts'
import { findAgent } from './find-agent.ts'
import { lineOf } from './processes.ts'
import { openProcesses } from './prove-person.ts'

/**
 * The coding agent that gave this process a variable which it was not started with: its settings, or a file of the repository
 * such as .mcp.json, set it, and not the operator of the machine. Undefined where none is seen.
 */
export function findOtherSetter(
  variable: string,
  { env, platform, pid, user = -1 }: Pick<Ops, 'env' | 'platform' | 'pid' | 'user'>,
): string | undefined {
  const processes = openProcesses(platform, user)
  const above = processes ? (lineOf(processes, pid) ?? []).slice(1) : []
  for (const process of above) {
    const agent = findAgent(process)
    if (agent && process.variables?.get(variable) !== env[variable]) return agent.title
  }
  return undefined
}
