import {
  decide,
  findServer,
  isLocal,
  localServerName,
  toolNameOf,
  type LockedEntry,
  type Name,
  type ToolName,
  bareToolName,
} from '@pml/core'
import type { ToolDefinition } from '@pml/core/pins'
import type { Client } from '../calls/open-client.ts'
import { parseStdioDocument, toolsIn } from '../workspace/documents.ts'
import { findLockedListing } from '../servers/listing/check-listing.ts'
import { findPinnedTools } from '../servers/listing/pinned-tools.ts'
import { isSeen } from '../servers/listing/seen.ts'
import type { Servers } from '../servers/servers.ts'

/** A longer definition would fill an agent's context, so it is left out. */
const MOST_CHARACTERS = 100_000

type Source = Pick<Client, 'lock' | 'files' | 'cache' | 'deps' | 'registry' | 'config' | 'isOffline' | 'tell'>

/** The tools of local servers: those that are locked and that the server has shown on this machine. */
export async function listLocalTools(source: Source, servers: Servers): Promise<ServerTools[]> {
  const found: ServerTools[] = []
  for (const { name, isEnabled } of servers.list()) {
    const locked = (await source.lock.read()).entries.get(localServerName(name))
    const isLocalOne = isEnabled && (await servers.find(name)) !== undefined
    if (!locked || !isLocalOne || !(await isSeen(source, name, locked.integrity))) continue
    const listing = await findLockedListing(source, name)
    if (listing) found.push(await permitted(source, { server: name, tools: listing.tools }))
  }
  return found
}

/** The tools of locked registry entries, without starting anything. */
export async function listLockedTools(source: Source): Promise<ServerTools[]> {
  const found: ServerTools[] = []
  for (const entry of (await source.lock.read()).entries.values()) {
    if (isLocal(entry.name)) continue
    const tools = entry.type === 'deno' ? moduleTools(entry) : await serverTools(source, entry)
    found.push(await permitted(source, tools))
  }
  return found
}

/** A module is one tool. It has no schema; it checks its arguments itself. */
function moduleTools({ name }: LockedEntry): ServerTools {
  const [server = '', tool = ''] = toolNameOf(name).split(':')
  return {
    server,
    tools: [{ name: tool, description: `The module ${name}.`, inputSchema: { type: 'object' } }],
  }
}

async function serverTools(source: Source, entry: LockedEntry): Promise<ServerTools> {
  const { name, type } = entry
  const server = findServer(name) ?? toolNameOf(name).split(':')[0] ?? name
  const bytes = await readDocument(source, entry)
  if (!bytes) return { server, tools: [] }
  const pinned =
    type === 'stdio' ? await findPinnedTools(source, parseStdioDocument({ name, bytes })) : undefined
  return { server, tools: pinned ?? toolsIn(bytes).map((tool) => unseen(tool, name)) }
}

async function readDocument(
  { cache, registry, isOffline, tell }: Source,
  { name, integrity }: LockedEntry,
): Promise<Uint8Array | undefined> {
  const cached = await cache.find(integrity)
  if (cached || isOffline) return cached
  return registry.readBlob(integrity).catch((error: Error) => {
    tell(`The tools of ${name} are not listed: ${error.message}`)
    return undefined
  })
}

/** A tool of which only the name is known until its server has been started. */
function unseen(tool: string, name: Name): ToolDefinition {
  return {
    name: tool.slice(tool.indexOf(':') + 1),
    description: `A tool of ${name}; its parameters are known after its first call.`,
    inputSchema: { type: 'object' },
  }
}

async function permitted({ config }: Source, { server, tools }: ServerTools): Promise<ServerTools> {
  const { permissions } = await config.read()
  const mayBeUsed = ({ name }: ToolDefinition) =>
    decide(permissions, `${server}:${name}` as ToolName) !== 'deny'
  const fits = (tool: ToolDefinition) => JSON.stringify(tool).length <= MOST_CHARACTERS
  return { server, tools: tools.filter((tool) => mayBeUsed(tool) && fits(tool)) }
}

/** The tools of one server, under their own names. */
interface ServerTools {
  readonly server: string
  readonly tools: readonly ToolDefinition[]
}

export interface Route {
  readonly server: string
  readonly tool: string
  /** The definition with its listed name. */
  readonly definition: ToolDefinition
}

const SEPARATOR = '__'

/**
 * Lists every tool as `server__tool`, sorted by name. Two tools with the same listed name are both left out: a call would be
 * ambiguous. So is a tool whose name no rule can contain.
 */
export function routesOf(all: readonly ServerTools[]): {
  readonly routes: ReadonlyMap<string, Route>
  readonly clashes: readonly string[]
  readonly unfit: readonly string[]
} {
  const every = all.flatMap(({ server, tools }) =>
    tools.map((tool) => ({
      server,
      tool: tool.name,
      definition: { ...tool, name: `${server}${SEPARATOR}${tool.name}` },
    })),
  )
  const fit = every.filter(({ tool }) => bareToolName.test(tool))
  const sorted = fit.toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
  const names = sorted.map(({ definition }) => definition.name)
  const clashes = new Set(names.filter((name, at) => name === names[at + 1]))
  const single = sorted.filter(({ definition }) => !clashes.has(definition.name))
  return {
    routes: new Map(single.map((route) => [route.definition.name, route])),
    clashes: [...clashes],
    unfit: every.filter(({ tool }) => !bareToolName.test(tool)).map(({ definition }) => definition.name),
  }
}
