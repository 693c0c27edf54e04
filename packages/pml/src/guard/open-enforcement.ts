import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  actionTemplates,
  checkFileWrite,
  detectOperation,
  getRequiredMcpServers,
  validateSpawnWorker,
  type AgentName,
  type FileWriteCheck,
} from '@pml/hooks'
import { localWorld } from './world/local-world.ts'
import { readGuarded } from './read-guarded.ts'

/** The rules of a folder, for programs that start workers or write files for agents themselves. */
export interface Enforcement {
  /** The hook's decision about one file; a write that needs approval is blocked. */
  shouldBlockFileWrite(path: string, content: string): FileWriteCheck
  /** The operation that a text describes, and the server for it. */
  detectOperation(text: string): { readonly name: string; readonly server: string } | undefined
  getRequiredMcpServers(task: string): string[]
  /** The missing servers, and the list with them added. */
  validateSpawnWorker(task: string, servers: readonly string[]): ValidatedWorker
  readonly actionTemplates: typeof actionTemplates
}

interface ValidatedWorker {
  readonly valid: boolean
  readonly missing: readonly string[]
  readonly servers: readonly string[]
}

export interface EnforcementOptions {
  /** The current folder by default. */
  readonly folder?: string
  /** The agent whose rules apply; Claude Code by default. */
  readonly agent?: AgentName
}

/** Throws `invalid_config` if the policy of the folder cannot be read. */
export function openEnforcement({ folder = '.', agent = 'claude' }: EnforcementOptions = {}): Enforcement {
  const cwd = resolve(folder)
  const defaults = join(import.meta.dirname, 'hook', 'enforcement.json')
  const guarded = readGuarded({ defaults, installation: [], kept: [], folders: [cwd] })
  const operations = guarded.flatMap(({ policy }) => policy.operations)
  const world = localWorld(homedir(), [cwd])
  return {
    shouldBlockFileWrite: (path, content) =>
      checkFileWrite({ path, content, agent, cwd }, { guarded, world }),
    detectOperation: (text) => {
      const found = detectOperation(operations, text)
      return found && { name: found.name, server: found.server }
    },
    getRequiredMcpServers: (task) => getRequiredMcpServers(operations, task),
    validateSpawnWorker: (task, servers) => {
      const { valid, missing, servers: corrected } = validateSpawnWorker(operations, { task, servers })
      return { valid, missing: missing.map(({ server }) => server), servers: corrected }
    },
    actionTemplates,
  }
}
