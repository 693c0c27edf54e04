import { canonicalJson, localServerName, serverName } from '@pml/core'
import type { LocalServer } from '@pml/core/local-servers'
import { killAllSync } from '../machine/owned-process.ts'
import { openSessionUntil, type McpSession } from '../mcp/mcp-session.ts'
import { mayStartAtOnce } from './discover/consent.ts'
import type { FoundServer } from './discover/found-server.ts'
import { localTarget } from './discover/local-target.ts'
import { notAgreed, startNotAgreed } from './discover/server-errors.ts'
import { checkListing } from './listing/check-listing.ts'
import { isSeen, markSeen } from './listing/seen.ts'
import { hashListing, listingOf, type ServerListing } from './listing/server-listing.ts'
import type { ServerParts } from './server-parts.ts'
import type { ServerInfo } from './servers.ts'
import { logStatus, type ServerLog } from './supervise/server-log.ts'
import type { Inspection, ServerStatus } from './supervise/server-status.ts'
import { superviseServer } from './supervise/supervise-server.ts'
import type { SupervisedServer, Timing } from './supervise/supervised-server.ts'

/** A server that a file describes, and its state in this process. */
export interface Known {
  readonly found: FoundServer
  /** Changes when the server must be restarted. */
  readonly key: string
  readonly server: SupervisedServer
  isEnabled: boolean
  listing: ServerListing | undefined
  /** Its listing differs from the locked one. */
  hasDrifted: boolean
  /** Why it must not be started; undefined where it may. */
  obstacle: string | undefined
  stopListening(): void
}

/** What starting, watching and comparing a server takes. */
export interface KnownDeps {
  readonly parts: ServerParts
  readonly timing: Timing
  logOf(server: string): ServerLog
  onStatusChange(): void
  onToolsChange(): void
}

const START_TIMEOUT_MS = 30_000
const LIST_TIMEOUT_MS = 30_000

export function superviseFound(deps: KnownDeps, found: FoundServer, isEnabled: boolean): Known {
  const { parts, timing } = deps
  const log = deps.logOf(found.name)
  const server = superviseServer({
    name: found.name,
    timing,
    now: parts.now,
    start: async (signal) => {
      // Checked at every start: after a crash the command may run something else.
      if (!(await mayStartAtOnce(parts, found))) throw notAgreed(found.name)
      return startServer(found, { parts, signal, log })
    },
    inspect: (session) => inspect(deps, known, session),
  })
  const stops = [server.onChange(deps.onStatusChange), logStatus(server, log)]
  const known: Known = {
    found,
    key: keyOf(found),
    server,
    isEnabled,
    listing: undefined,
    hasDrifted: false,
    obstacle: undefined,
    stopListening: () => stops.forEach((stop) => stop()),
  }
  return known
}

function startServer(
  found: FoundServer,
  { parts, signal, log }: { parts: ServerParts; signal: AbortSignal; log: ServerLog },
): Promise<McpSession> {
  const { ops, files, version, lifetime } = parts
  ops.atExit(killAllSync)
  return openSessionUntil([lifetime, signal], {
    target: localTarget(found.launch, { name: found.name, root: files.root, env: ops.env }),
    server: found.name,
    client: { name: 'pml', version },
    connectTimeoutMs: found.startTimeoutMs ?? START_TIMEOUT_MS,
    kill: ops.kill,
    onStderr: log.say,
  })
}

async function inspect(deps: KnownDeps, known: Known, session: McpSession): Promise<Inspection> {
  const { found } = known
  const tools = await session.listTools({ signal: deps.parts.lifetime, timeoutMs: LIST_TIMEOUT_MS })
  known.listing = listingOf(found, { instructions: session.instructions, tools })
  const missing = findMissing(found, { tools, capabilities: session.capabilities })
  await compareWithLock(deps, known)
  return { tools, concerns: missing.map((what) => `its file declares ${what}, which it does not have`) }
}

/** What a server really offers. */
interface Real {
  readonly tools: readonly { readonly name: string }[]
  readonly capabilities: Readonly<Record<string, unknown>>
}

/** Tools and capabilities that the file declares and the server lacks. */
export function findMissing({ tools, capabilities }: LocalServer, real: Real): string[] {
  const names = new Set(real.tools.map(({ name }) => name))
  return [
    ...(tools ?? []).filter((name) => !names.has(name)).map((name) => `tool ${name}`),
    ...(capabilities ?? [])
      .filter((name) => real.capabilities[name] === undefined)
      .map((name) => `capability ${name}`),
  ]
}

/** Locks a server that is not locked yet. A locked one that differs is refused until a person has seen the difference. */
export async function compareWithLock({ parts, onToolsChange }: KnownDeps, known: Known): Promise<void> {
  const { listing, found } = known
  if (!listing) return
  const { name } = found
  const { integrity } = hashListing(name, listing)
  const locked = (await parts.lock.read()).entries.get(localServerName(name))
  known.hasDrifted = locked !== undefined && locked.integrity !== integrity
  if (known.hasDrifted || (!locked && parts.isFrozen)) return
  if (!locked) await checkListing(parts, name, { listing, operation: { kind: 'open-server', server: name } })
  if (await isSeen(parts, name, integrity)) return
  await markSeen(parts, name, integrity)
  onToolsChange()
}

export async function findObstacle(parts: ServerParts, found: FoundServer): Promise<string | undefined> {
  if ((await parts.lock.read()).entries.has(serverName(found.name)))
    return 'a server of the registry is locked under its name and is used instead'
  return (await mayStartAtOnce(parts, found)) ? undefined : startNotAgreed(found.name)
}

export function infoOf(known: Known): ServerInfo {
  const { found, isEnabled, listing } = known
  const { name, scope, file, launch, description } = found
  return {
    name,
    scope,
    file,
    description,
    transport: launch.kind,
    isEnabled,
    ...statusOf(known),
    tools: listing?.tools.map((tool) => tool.name).toSorted(),
  }
}

export function statusOf({ found, server, isEnabled, hasDrifted, obstacle }: Known): ServerStatus {
  const { status } = server
  if (!isEnabled) return { ...status, state: 'offline', reason: 'disabled' }
  if (obstacle !== undefined && !status.isRunning) return { ...status, state: 'offline', reason: obstacle }
  if (!hasDrifted || status.state === 'offline') return status
  const reason = `it is not what was locked; "pml mcp test ${found.name}" shows the difference and asks`
  return {
    ...status,
    state: 'degraded',
    reason: status.reason === '' ? reason : `${status.reason}; ${reason}`,
  }
}

export function keyOf({
  launch,
  startTimeoutMs,
  callTimeoutMs,
  tools,
  capabilities,
  file,
}: FoundServer): string {
  return canonicalJson(
    JSON.parse(JSON.stringify({ launch, startTimeoutMs, callTimeoutMs, tools, capabilities, file })),
  )
}
