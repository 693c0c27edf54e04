import { join } from 'node:path'
import {
  decide as decidePermission,
  emptyLockfile,
  emptyWorkspaceConfig,
  integrityOf,
  hexOf,
  isComponent,
  parseLockfile,
  parseWorkspaceConfig,
  serverName,
  type LockedEntry,
  type Lockfile,
  type ToolName,
  type WorkspaceConfig,
} from '@pml/core'
import { fitsName, type Guarded } from '@pml/hooks'
import { readPlainFile } from '../files/read-plain-file.ts'
import { workspaceFilesOf } from '../workspace/workspace-files.ts'
import type { Launch } from './agent-servers.ts'
import { findDifference, isGateway } from './compare-launch.ts'

/** What a workspace says of MCP servers. */
export interface TrustedServers {
  /** Why the server may not be called; undefined where it may. `launch` is undefined where nobody says how it is started. */
  findObjection(
    server: string,
    tool: string | undefined,
    launch: Launch | undefined,
  ): Promise<Objection | undefined>
}

export interface Objection {
  readonly rule: 'MCP_DENIED' | 'MCP_UNLOCKED' | 'MCP_CHANGED'
  readonly why: string
  readonly fix: string
}

const LIMIT_BYTES = 64 * 1024 * 1024

export async function readTrustedServers(
  { root, policy }: Guarded,
  { cache, installation }: { cache: string; installation: readonly string[] },
): Promise<TrustedServers> {
  const files = workspaceFilesOf(root)
  const config = await readParsed(files.config, parseWorkspaceConfig, emptyWorkspaceConfig)
  const lockfile = await readParsed(files.lock, parseLockfile, emptyLockfile)
  return {
    findObjection: async (server, tool, launch) => {
      if (isDenied(config, server, tool))
        return {
          rule: 'MCP_DENIED',
          why: `${files.config} denies ${server}${tool === undefined ? '' : `:${tool}`}`,
          fix: 'Ask the person whether the rule is still wanted',
        }
      if (policy.mcp.trusted.some((pattern) => fitsName(pattern, server))) return undefined
      if (launch && isGateway(launch, installation)) return undefined
      const entry = findEntry(lockfile, server)
      if (!entry) return policy.mcp.unlocked === 'allow' ? undefined : unlocked(server, root)
      return findChange(entry, { server, launch, root, cache })
    },
  }
}

async function readParsed<Parsed>(
  file: string,
  parse: (text: string, file: string) => Parsed,
  otherwise: Parsed,
): Promise<Parsed> {
  const found = await readPlainFile(file, LIMIT_BYTES)
  return found ? parse(found.bytes.toString('utf8'), file) : otherwise
}

function isDenied({ permissions }: WorkspaceConfig, server: string, tool: string | undefined): boolean {
  return decidePermission(permissions, `${server}:${tool ?? '*'}` as ToolName) === 'deny'
}

function findEntry({ entries }: Lockfile, server: string): LockedEntry | undefined {
  return isComponent(server) ? entries.get(serverName(server)) : undefined
}

function unlocked(server: string, root: string): Objection {
  return {
    rule: 'MCP_UNLOCKED',
    why: `the lockfile of ${root} does not have ${server}`,
    fix: `The person can run "pml add ${server}", or name it in mcp.trusted of .pml/enforcement.json`,
  }
}

interface Change {
  readonly server: string
  readonly launch: Launch | undefined
  readonly root: string
  readonly cache: string
}

async function findChange(
  entry: LockedEntry,
  { server, launch, root, cache }: Change,
): Promise<Objection | undefined> {
  const changed = (why: string): Objection => ({
    rule: 'MCP_CHANGED',
    why: `${server} is not what is locked: ${why}`,
    fix: `The person can start it by "pml serve", or have the agent's configuration start what is locked ("pml lock show")`,
  })
  if (!launch) return changed('nobody knows how the agent starts it')
  const hex = hexOf(entry.integrity)
  const document = await readPlainFile(join(cache, 'content', hex.slice(0, 2), hex), LIMIT_BYTES)
  if (!document || integrityOf(document.bytes) !== entry.integrity)
    return changed('its document is not in the cache; run "pml sync"')
  const difference = findDifference(launch, { entry, bytes: document.bytes, root })
  return difference === undefined ? undefined : changed(difference)
}
