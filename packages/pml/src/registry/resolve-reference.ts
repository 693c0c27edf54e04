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
import { suggest } from '@pml/core/suggest'

const toolPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}:[A-Za-z0-9_.-]{1,128}$/

/** Resolves a name, an FQDN, a tool `ns:action` or the short name of a server. */
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

/** The same among locked entries: a short name may then mean a local server. */
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
      `Cannot find ${tool} offline: no locked entry offers it; leave out --offline`,
    )
  const offered = (await parts.registry.list({ tool })).map(({ name }) => name)
  const [found = await silentServer(parts, tool), ...others] = offered
  if (found === undefined)
    throw new PmlError(
      'not_found',
      `Cannot find ${tool}: no entry in the registry offers it; ${await suggestTool(parts, tool)}`,
    )
  if (others.length > 0) throw ambiguous(tool, offered)
  return found
}

/** Locked entries that offer a tool: a module by its name, a server by its document. */
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

/** A server whose document lists no tools may offer any tool of its namespace. */
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

/** The server of the tool's namespace if its document lists no tools: it may have this one. */
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

/** Adds the nearest name in the registry or the lockfile to a `not_found` error of `work`. */
export async function withSuggestion<T>(parts: Parts, name: Name, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== 'not_found') throw error
    const near = await suggestName(parts, name)
    if (near === undefined) throw error
    throw new PmlError('not_found', `${error.message}; did you mean '${near}'?`, { ...error.detail, near })
  }
}

/** The nearest name: short for a server, complete for anything else. */
async function suggestName({ registry, lock }: Parts, name: Name): Promise<string | undefined> {
  // A second error must not hide the first one.
  const offered = await registry.list({}).catch(() => [])
  return nearest(name, [...offered.map((item) => item.name), ...(await lock.read()).entries.keys()])
}

/** The same among locked entries, as a sentence. */
export async function suggestLocked({ lock }: Pick<Parts, 'lock'>, name: Name): Promise<string> {
  const names = [...(await lock.read()).entries.keys()]
  const near = nearest(name, names)
  return near === undefined ? '"pml list" shows what is' : `did you mean '${near}'?`
}

/** The nearest tool of the same server, or the same tool of the server with the nearest name, as a sentence. */
async function suggestTool(parts: Parts, tool: ToolName): Promise<string> {
  const [word = '', action = ''] = tool.split(':')
  const name = serverName(word)
  const found = await findDocument(parts, name)
  const near = found
    ? suggest(tool, toolsIn(found))
    : await suggestName(parts, name).then((server) => server && `${server}:${action}`)
  if (near !== undefined) return `did you mean '${near}'?`
  return found ? `"pml catalog show ${word}" lists its tools` : '"pml catalog search" looks for others'
}

async function findDocument({ lock, cache, registry }: Parts, name: Name): Promise<Uint8Array | undefined> {
  const locked = (await lock.read()).entries.get(name)
  const cached = locked && (await cache.find(locked.integrity))
  if (cached) return cached
  const release = await registry
    .readCurrentFqdn(name)
    .then((fqdn) => registry.readRelease(fqdn))
    .catch(() => undefined)
  return typeof release === 'object' && 'bytes' in release ? release.bytes : undefined
}

function nearest(name: Name, names: readonly Name[]): string | undefined {
  const word = findServer(name)
  if (word === undefined) return suggest(name, names)
  return suggest(
    word,
    names.flatMap((one) => findServer(one) ?? []),
  )
}
