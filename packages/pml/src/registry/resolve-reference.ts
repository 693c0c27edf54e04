import {
  findReference,
  findServer,
  isComponent,
  isLocal,
  localServerName,
  PmlError,
  serverName,
  toolNameOf,
  type LockedEntry,
  type Lockfile,
  type Name,
  type Reference,
  type ToolName,
} from '@pml/core'
import { toolsIn } from '../workspace/documents.ts'
import type { Parts } from './parts.ts'
import { suggestTool } from './suggest-name.ts'

const toolPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}:[A-Za-z0-9_.-]{1,128}$/

/** A name, an FQDN, a tool `ns:action` or the bare word of a server. */
export async function resolveReference(parts: Parts, text: string): Promise<Reference> {
  if (toolPattern.test(text)) return { name: await resolveTool(parts, text as ToolName), hash: undefined }
  if (isComponent(text)) return { name: serverName(text), hash: undefined }
  const reference = findReference(text)
  if (reference) return reference
  throw new PmlError(
    'invalid_fqdn',
    `Cannot read '${text.slice(0, 80)}': expected org.project.namespace.action, the same with a hash, namespace:action, or the name of a server`,
  )
}

/** The same for what is locked: the word of a server may then mean one of this machine. */
export async function resolveLocked(parts: Parts, text: string): Promise<Reference> {
  if (!isComponent(text)) return resolveReference(parts, text)
  const { entries } = await parts.lock.read()
  const [local, other] = [localServerName(text), serverName(text)]
  if (!entries.has(local)) return { name: other, hash: undefined }
  if (entries.has(other)) throw twoServers(text, [local, other])
  return { name: local, hash: undefined }
}

/** The locked entry that offers the tool, else the only one in the registry that does. */
export async function resolveTool(parts: Parts, tool: ToolName): Promise<Name> {
  const locked = await lockedFor(parts, await parts.lock.read(), tool)
  const [only, ...more] = locked
  if (only !== undefined && more.length === 0) return only
  if (locked.length > 0) throw ambiguous(tool, locked)
  if (parts.isOffline)
    throw new PmlError(
      'unavailable',
      `Cannot find ${tool} offline: nothing locked offers it; leave out --offline`,
    )
  const offered = (await parts.registry.list({ tool })).map(({ name }) => name)
  const [found = await silentServer(parts, tool), ...others] = offered
  if (found === undefined)
    throw new PmlError(
      'not_found',
      `Cannot find ${tool}: nothing in the registry offers it; ${await suggestTool(parts, tool)}`,
    )
  if (others.length > 0) throw ambiguous(tool, offered)
  return found
}

/** A module is one tool, by its name; what else it may be is in the document of a server. */
async function lockedFor(parts: Parts, { entries }: Lockfile, tool: ToolName): Promise<Name[]> {
  const namespace = tool.slice(0, tool.indexOf(':'))
  const names: Name[] = []
  for (const entry of entries.values()) {
    const { name, type } = entry
    if (isLocal(name)) continue
    const isCandidate =
      type === 'deno' ? toolNameOf(name) === tool : (findServer(name) ?? namespace) === namespace
    if (isCandidate && (type === 'deno' || (await offers(parts, entry, tool)))) names.push(name)
  }
  return names
}

/** A server whose document says nothing about its tools may offer anything of its own namespace. */
async function offers(
  { cache, registry, isOffline }: Parts,
  { name, integrity }: LockedEntry,
  tool: ToolName,
) {
  const cached = await cache.find(integrity)
  const bytes = cached ?? (isOffline ? undefined : await registry.readBlob(integrity))
  const tools = bytes ? toolsIn(bytes) : []
  return tools.includes(tool) || (tools.length === 0 && findServer(name) !== undefined)
}

/** The server of the tool's own namespace, if its document says nothing about tools: it may have this one. */
async function silentServer({ registry }: Parts, tool: ToolName): Promise<Name | undefined> {
  const name = serverName(tool.slice(0, tool.indexOf(':')))
  const fqdn = await registry.readCurrentFqdn(name).catch((error: unknown) => {
    if (error instanceof PmlError && ['not_found', 'gone'].includes(error.code)) return undefined
    throw error
  })
  const release = fqdn && (await registry.readRelease(fqdn))
  return typeof release === 'object' && 'bytes' in release && toolsIn(release.bytes).length === 0
    ? name
    : undefined
}

function twoServers(word: string, candidates: readonly Name[]): PmlError {
  return new PmlError(
    'ambiguous_tool',
    `Cannot choose what ${word} means: ${candidates.join(' and ')} are both locked; use one of these names`,
    { candidates },
  )
}

function ambiguous(tool: ToolName, candidates: readonly Name[]): PmlError {
  const names = candidates.toSorted()
  return new PmlError(
    'ambiguous_tool',
    `Cannot choose what ${tool} means: ${names.join(', ')} offer it; run "pml add" with one of these names, or use the name itself`,
    { candidates: names },
  )
}
