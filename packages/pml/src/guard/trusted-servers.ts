import { join } from 'node:path'
import {
  covers,
  emptyLockfile,
  emptyWorkspaceConfig,
  hexOf,
  integrityOf,
  isComponent,
  isLocal,
  isWanted,
  localServerName,
  parseLockfile,
  parseWorkspaceConfig,
  serverName,
  toolNameOf,
  type LockedEntry,
  type Lockfile,
  type ToolName,
  type WorkspaceConfig,
} from '@pml/core'
import { fitsName, type Guarded } from '@pml/hooks'
import { hookedAgents } from '@pml/hooks/agents'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { findListing } from '../servers/listing/find-listing.ts'
import { findRegistry } from '../machine/settings.ts'
import { findFolder, workspaceFilesOf, type WorkspaceFiles } from '../workspace/workspace-files.ts'
import { findDifference, findLocalDifference, isOwnServer } from './compare-launch.ts'
import type { Launch } from '../agents/launch.ts'
import { plainName, printName } from './print-name.ts'
import type { HookPlace } from './world/hook-place.ts'

/** The rules of a workspace about MCP servers. */
interface TrustedServers {
  /** Why the server must not be called; undefined if it may. */
  findObjection(use: ServerUse): Promise<Objection | undefined>
}

export interface ServerUse {
  readonly server: string
  /** Undefined for any tool. */
  readonly tool: string | undefined
  /** Undefined if it is unknown how it is started. */
  readonly launch: Launch | undefined
}

export interface Objection {
  readonly rule: 'MCP_DENIED' | 'MCP_UNLOCKED' | 'MCP_CHANGED'
  readonly why: string
  readonly fix: string
}

const LIMIT_BYTES = 64 * 1024 * 1024

export async function readTrustedServers(
  { root, policy }: Guarded,
  { cache, installation, env, execPath }: Pick<HookPlace, 'cache' | 'installation' | 'env' | 'execPath'>,
): Promise<TrustedServers> {
  const files = workspaceFilesOf(root)
  await findFolder(files.state)
  const config = await readParsed(files.config, parseWorkspaceConfig, emptyWorkspaceConfig)
  const lockfile = await readParsed(files.lock, parseLockfile, emptyLockfile)
  const registry = findRegistry(env['PML_REGISTRY_URL']?.trim() || (config.registry ?? ''))
  return {
    findObjection: async ({ server, tool, launch }) => {
      if (isDenied(config, server, tool)) return denied(files.config, server, tool)
      if (isTrusted(policy.mcp.trusted, server)) return undefined
      if (launch && isOwnServer(launch, { installation, root, execPath })) return undefined
      const entries = findEntries(lockfile, config, server)
      if (entries.length === 0)
        return policy.mcp.unlocked === 'allow'
          ? undefined
          : unlocked(server, { file: files.lock, isOfRegistry: isOfRegistry(lockfile, server) })
      const found = await Promise.all(
        entries.map((entry) => findChange(entry, { launch, cache, files, registry })),
      )
      const [why] = found
      return why === undefined || found.includes(undefined) ? undefined : changed(server, why)
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

/** Whether a deny rule covers the tool. Agents replace dots in names, so rules are compared in both forms. */
function isDenied({ permissions }: WorkspaceConfig, server: string, tool: string | undefined): boolean {
  const name = `${plainName(server)}:${tool ?? '*'}` as ToolName
  return permissions.deny.some(
    (pattern) => covers(pattern, name) || covers({ ...pattern, stem: plainName(pattern.stem) }, name),
  )
}

/** Whether a server is trusted, by its own name or as the agent writes it. */
function isTrusted(patterns: readonly string[], server: string): boolean {
  return patterns.some((pattern) => fitsName(pattern, server) || fitsName(pattern, plainName(server)))
}

/**
 * Lock entries of registry and local servers with this name: either may be started. Skips entries that no rule wants any
 * more, which pml removes when it reads the lockfile.
 */
function findEntries(
  { entries }: Lockfile,
  { permissions, saysWhatIsWanted }: WorkspaceConfig,
  server: string,
): LockedEntry[] {
  const plain = plainName(server)
  const names = isComponent(plain) ? [serverName(plain), localServerName(plain)] : []
  return names
    .flatMap((name) => entries.get(name) ?? [])
    .filter(({ name }) => !saysWhatIsWanted || isWanted(permissions, toolNameOf(name)))
}

interface Change {
  readonly launch: Launch | undefined
  readonly cache: string
  readonly files: WorkspaceFiles
  readonly registry: URL | undefined
}

async function findChange(
  entry: LockedEntry,
  { launch, cache, files, registry }: Change,
): Promise<string | undefined> {
  if (!launch) return 'no configuration of the agent says how it is started'
  if (isLocal(entry.name)) {
    const listing = await findListing(files, entry)
    if (!listing) return `its listing in ${files.servers} is missing or differs from the lock`
    return findLocalDifference(launch, listing.launch)
  }
  const hex = hexOf(entry.integrity)
  const document = await readPlainFile(join(cache, 'content', hex.slice(0, 2), hex), LIMIT_BYTES)
  if (!document) return 'its document is not in the cache; run "pml sync"'
  if (integrityOf(document.bytes) !== entry.integrity)
    return 'its document in the cache is damaged; run "pml sync"'
  return findDifference(launch, { entry, bytes: document.bytes, root: files.root, registry })
}

function denied(file: string, server: string, tool: string | undefined): Objection {
  const what = tool === undefined ? printName(server) : `${printName(server)}:${printName(tool)}`
  return {
    rule: 'MCP_DENIED',
    why: `a deny rule in ${file} covers ${what}`,
    fix: 'Do it without this tool, or ask the person whether the rule is still wanted',
  }
}

/** Whether the lockfile has an entry of the registry for it, even one that no rule wants. */
function isOfRegistry({ entries }: Lockfile, server: string): boolean {
  const plain = plainName(server)
  return isComponent(plain) && entries.has(serverName(plain))
}

/** Prefixes of servers that are built into agents. */
const ownServers = hookedAgents.flatMap(({ hooks }) => hooks.ownServers ?? [])

function unlocked(
  server: string,
  { file, isOfRegistry: isKnown }: { file: string; isOfRegistry: boolean },
): Objection {
  const name = printName(server)
  const mayBeOwn = isComponent(server) && !ownServers.some((start) => server.startsWith(start))
  const lock = `look for it in the registry ("pml catalog search ${name}"), lock it as a server of their own ("pml mcp test ${name}", once a file describes it), or `
  const add = isKnown ? `run "pml add ${name}", or ` : mayBeOwn ? lock : ''
  return {
    rule: 'MCP_UNLOCKED',
    why: server === '' ? 'it is unknown which server it belongs to' : `${file} does not have ${name}`,
    fix: `The person can ${add}name it in mcp.trusted of .pml/enforcement.json`,
  }
}

function changed(server: string, why: string): Objection {
  return {
    rule: 'MCP_CHANGED',
    why: `${printName(server)} differs from the lock: ${why}`,
    fix: 'The person can change the agent\'s configuration to start exactly the locked server, or run "pml update" to lock the current one',
  }
}
