import { findServer, isLocal, PmlError, type LockedEntry, type Name } from '@pml/core'
import type { Fetched, Opened } from '../api/pml.ts'
import type { Approval, Operation } from '../api/approval.ts'
import { openEntry } from './call-server.ts'
import type { CallLimits, CallParts } from './call-parts.ts'
import { isAgreed } from '../workspace/consent.ts'
import { findUnready } from './find-unready.ts'
import { descriptionIn, parseStdioDocument, toolsIn } from '../workspace/documents.ts'
import { fetchEntry } from '../registry/fetch-entry.ts'
import type { ShownServer } from './server-shapes.ts'

const CHECK_TIMEOUT_MS = 10_000

/** Locked registry servers, by their name on the command line. */
export async function findLockedServers({
  lock,
}: Pick<CallParts, 'lock'>): Promise<Map<string, LockedEntry>> {
  const entries = [...(await lock.read()).entries.values()]
  const servers = entries.filter(({ name, type }) => type !== 'deno' && !isLocal(name))
  return new Map(servers.map((entry) => [findServer(entry.name) ?? entry.name, entry]))
}

/** Finds a locked server by its short or full name. */
export async function findLockedServer(parts: CallParts, word: string): Promise<LockedEntry | undefined> {
  const servers = await findLockedServers(parts)
  return servers.get(word) ?? servers.get(findServer(word as Name) ?? '')
}

/** Describes a locked server without starting it. */
export async function showLocked(parts: CallParts, entry: LockedEntry): Promise<ShownServer> {
  const { name, type } = entry
  const { bytes } = await lockedContent(parts, entry)
  const tools = toolsIn(bytes).map((tool) => tool.slice(tool.indexOf(':') + 1))
  return {
    name: findServer(name) ?? name,
    status: 'offline',
    reason: (await whyNotStarted(parts, entry)) ?? 'it has not been started yet',
    since: parts.now().toISOString(),
    latencyMs: null,
    errors: 0,
    tools: tools.length > 0 ? tools : null,
    lastCheck: null,
    enabled: true,
    transport: type === 'http' ? 'http' : 'stdio',
    scope: 'registry',
    file: parts.files.lock,
    description: descriptionIn(bytes),
    protocolVersion: null,
    server: null,
  }
}

/** Starts the locked release and describes it. Never creates a prompt for a person to answer. */
export async function checkLocked(
  parts: CallParts,
  entry: LockedEntry,
  limits: CallLimits,
): Promise<ShownServer> {
  const shown = await showLocked(parts, entry)
  const offline = (reason: string): ShownServer => ({ ...shown, status: 'offline', reason, errors: 1 })
  try {
    const reason = await whyNotStarted(parts, entry)
    if (reason !== undefined) return { ...shown, reason }
    const fetched = await lockedContent(parts, entry)
    const operation: Operation = { kind: 'fetch', reference: entry.name }
    const session = await openEntry(parts, { fetched, operation, limits })
    if ('approvalRequired' in session) return offline(session.description)
    const asked = performance.now()
    await session.check({ signal: limits.signal, timeoutMs: CHECK_TIMEOUT_MS })
    const latencyMs = tenths(performance.now() - asked)
    const tools = await session.listTools({ signal: limits.signal, timeoutMs: limits.timeoutMs })
    const { serverInfo, protocolVersion } = session
    return {
      ...shown,
      status: 'ready',
      reason: '',
      latencyMs,
      tools: tools.map((tool) => tool.name).toSorted(),
      lastCheck: parts.now().toISOString(),
      protocolVersion: protocolVersion ?? null,
      server: serverInfo ? `${serverInfo.name} ${serverInfo.version}` : null,
    }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return offline(error.message)
  }
}

/** Compares a locked server with the registry as a call does, starts it and pings it. */
export async function testLocked(
  parts: CallParts,
  { name }: LockedEntry,
  limits: CallLimits,
): Promise<Opened | Approval> {
  const operation: Operation = { kind: 'fetch', reference: name }
  const fetched = await fetchEntry(parts, { name, hash: undefined }, { operation })
  if (fetched.approvalRequired) return fetched
  const began = performance.now()
  const session = await openEntry(parts, { fetched, operation, limits })
  if ('approvalRequired' in session) return session
  const asked = performance.now()
  const { signal, timeoutMs } = limits
  await session.check({ signal, timeoutMs: CHECK_TIMEOUT_MS })
  const answered = performance.now()
  const tools = (await session.listTools({ signal, timeoutMs })).map((tool) => tool.name).toSorted()
  const declared = toolsIn(fetched.bytes).map((tool) => tool.slice(tool.indexOf(':') + 1))
  const missing = declared.filter((tool) => !tools.includes(tool)).map((tool) => `tool ${tool}`)
  return {
    approvalRequired: false,
    server: findServer(name) ?? name,
    fqdn: fetched.fqdn,
    lock: fetched.lock,
    status: missing.length > 0 ? 'degraded' : 'ready',
    reason: missing.length > 0 ? `it lacks ${missing.join(', ')}` : '',
    handshakeMs: tenths(asked - began),
    pingMs: tenths(answered - asked),
    protocolVersion: session.protocolVersion,
    serverInfo: session.serverInfo,
    capabilities: Object.keys(session.capabilities).sort(),
    tools,
    missing,
  }
}

/** Why the server cannot be started without a prompt; undefined if it can. */
async function whyNotStarted(parts: CallParts, entry: LockedEntry): Promise<string | undefined> {
  const { name, type } = entry
  const word = findServer(name) ?? name
  const content = await lockedContent(parts, entry)
  const [unready] = await findUnready(parts, content)
  if (unready !== undefined) return unready
  if (type !== 'stdio') return undefined
  const { pin } = parseStdioDocument(content)
  if (!pin)
    return (await parts.deps.find(name))
      ? undefined
      : `nobody has agreed to its command yet; "pml mcp test ${word}" asks`
  const isInstalled = await isAgreed(parts, name, { kind: 'pinned', ...pin })
  return isInstalled ? undefined : `it is not installed here yet; "pml add ${word}" installs it`
}

async function lockedContent(parts: CallParts, entry: LockedEntry): Promise<Fetched> {
  const { name, hash, integrity, type, routing, fetchedAt } = entry
  const bytes = (await parts.cache.find(integrity)) ?? (await readLocked(parts, entry))
  const fqdn = `${name}.${hash}` as Fetched['fqdn']
  return { approvalRequired: false, fqdn, name, type, routing, integrity, fetchedAt, lock: 'same', bytes }
}

async function readLocked({ cache, registry, isOffline }: CallParts, { name, integrity }: LockedEntry) {
  if (isOffline)
    throw new PmlError('unavailable', `Cannot show ${name} offline: it is not cached; leave out --offline`)
  const bytes = await registry.readBlob(integrity)
  await cache.put(integrity, bytes)
  return bytes
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
