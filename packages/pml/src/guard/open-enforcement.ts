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

/** What the hooks of a folder go by, for a program that starts workers or writes files for agents itself. */
export interface Enforcement {
  /** The decision about one file, as a hook would make it; what needs approval is blocked. */
  shouldBlockFileWrite(path: string, content: string): FileWriteCheck
  /** The name of the operation that a text is about, and the server that is there for it. */
  detectOperation(text: string): { readonly name: string; readonly server: string } | undefined
  getRequiredMcpServers(task: string): string[]
  /** Every server that is missing, and the list with all of them. */
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
  /** Whose rules; Claude Code's by default. */
  readonly agent?: AgentName
}

/** Throws `invalid_config` where the policy of the folder cannot be read. */
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
