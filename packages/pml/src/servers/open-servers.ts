import { localServerName, serverName } from '@pml/core'
import type { ServerParts } from './server-parts.ts'
import { inParallel } from '../machine/in-parallel.ts'
import type { McpSession } from '../mcp/mcp-session.ts'
import { checkListing } from './listing/check-listing.ts'
import type { Discovery, FoundServer } from './discover/found-server.ts'
import { findMissing, testServer } from './test-server.ts'
import { infoOf, keyOf, type Known } from './known-server.ts'
import { printProblem, requirePlace } from './discover/discover-servers.ts'
import {
  closeTimeout,
  notAgreed,
  serverChanged,
  serverNotFound,
  startNotAgreed,
} from './discover/server-errors.ts'
import type { ServersMode } from './supervise/servers-mode.ts'
import { isSeen, markSeen } from './listing/seen.ts'
import { hashListing, listingOf, type ServerListing } from './listing/server-listing.ts'
import { logStatus, type ServerLog } from './supervise/server-log.ts'
import type { Inspection } from './supervise/server-status.ts'
import type { ServerSwitches } from './discover/server-switches.ts'
import type { ServerEventName, Servers } from './servers.ts'
import { startLocalServer } from './start-local-server.ts'
import { superviseServer } from './supervise/supervise-server.ts'
import type { Timing } from './supervise/supervised-server.ts'

interface ServersDeps {
  readonly parts: Pick<
    ServerParts,
    'ops' | 'files' | 'lock' | 'cache' | 'deps' | 'approvals' | 'version' | 'lifetime' | 'now' | 'isFrozen'
  >
  discover(): Promise<Discovery>
  readonly switches: ServerSwitches
  readonly timing: Timing
  readonly mode: ServersMode
  /** Whether it may be started without asking a person first. */
  mayStart(found: FoundServer): Promise<boolean>
  logOf(server: string): ServerLog
  flushLogs(): Promise<void>
}

const LIST_TIMEOUT_MS = 30_000
/** Calls in flight on a server that was replaced or removed get so long. */
const GRACE_MS = 60_000

/** The files have been read when it comes. */
export async function openServers(deps: ServersDeps): Promise<Servers> {
  const { parts, switches, timing } = deps
  const known = new Map<string, Known>()
  const listeners = new Set<() => void>()
  /** Old servers that still have calls in flight. */
  const leaving = new Set<Promise<boolean>>()
  let discovery: Discovery = {
    servers: new Map(),
    problems: [],
    warnings: [],
    places: [],
    files: [],
  }
  let turn: Promise<unknown> = Promise.resolve()

  const toolListeners = new Set<() => void>()
  const changed = () => listeners.forEach((listener) => listener())
  const toolsChanged = () => {
    toolListeners.forEach((listener) => listener())
    changed()
  }

  /** One at a time: files may change again while they are looked at. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = turn.then(work, work)
    turn = next.catch(() => undefined)
    return next
  }

  function make(found: FoundServer, isEnabled: boolean): Known {
    const log = deps.logOf(found.name)
    const server = superviseServer({
      name: found.name,
      timing,
      now: parts.now,
      start: async (signal) => {
        // It is started again after a crash, too, when what it runs may be something else.
        if (!(await deps.mayStart(found))) throw notAgreed(found.name)
        return startLocalServer(found, { parts, signal, onStderr: log.say })
      },
      inspect: (session) => inspect(entry, session),
    })
    const entry: Known = {
      found,
      key: keyOf(found),
      server,
      isEnabled,
      listing: undefined,
      hasDrifted: false,
      obstacle: undefined,
      stopListening: followBoth(server.onChange(changed), logStatus(server, log)),
    }
    return entry
  }

  async function inspect(entry: Known, session: McpSession): Promise<Inspection> {
    const { found } = entry
    const tools = await session.listTools({ signal: parts.lifetime, timeoutMs: LIST_TIMEOUT_MS })
    const listing = listingOf(found, { instructions: session.instructions, tools })
    entry.listing = listing
    const missing = findMissing(found, { tools, capabilities: session.capabilities })
    await compare(entry, listing)
    return { tools, concerns: missing.map((what) => `its file declares ${what}, which it does not have`) }
  }

  /** What nobody has seen before is locked as it is; whatever else differs stays refused until a person has seen it. */
  async function compare(entry: Known, listing: ServerListing): Promise<void> {
    const { name } = entry.found
    const { integrity } = hashListing(name, listing)
    const locked = (await parts.lock.read()).entries.get(localServerName(name))
    entry.hasDrifted = locked !== undefined && locked.integrity !== integrity
    if (entry.hasDrifted || (!locked && parts.isFrozen)) return
    if (!locked)
      await checkListing(parts, name, { listing, operation: { kind: 'open-server', server: name } })
    if (await isSeen(parts, name, integrity)) return
    await markSeen(parts, name, integrity)
    toolsChanged()
  }

  /** What a person must hear of. Whoever sees them all sees what is wrong with their files as well. */
  function newsIn({ warnings, problems }: Discovery): string[] {
    return deps.mode === 'all' ? [...warnings] : [...warnings, ...problems.map(printProblem)]
  }

  function retire(name: string, entry: Known, graceMs: number): void {
    entry.stopListening()
    const end = entry.server.close(graceMs)
    leaving.add(end)
    void end.finally(() => leaving.delete(end))
    if (known.get(name) === entry) known.delete(name)
  }

  function tell(event: ServerEventName, name: string): void {
    if (deps.mode !== 'once') deps.logOf(name).note(event)
  }

  async function rescan(): Promise<number> {
    const enabled = await switches.read()
    const told = new Set(newsIn(discovery))
    discovery = await deps.discover()
    for (const news of newsIn(discovery)) if (!told.has(news)) parts.ops.tell(news)
    const broken = new Set(discovery.problems.map(({ file }) => file))
    let count = 0
    for (const [name, entry] of known) {
      // A file that cannot be read says nothing: what it said before still holds.
      if (discovery.servers.has(name) || broken.has(entry.found.file)) continue
      retire(name, entry, GRACE_MS)
      tell('mcp_tool_removed', name)
      count++
    }
    for (const [name, found] of discovery.servers) {
      const before = known.get(name)
      const isEnabled = enabled.get(name) ?? !found.isDisabled
      const isStillMeant = before && broken.has(before.found.file) && before.found.file !== found.file
      if (isStillMeant || before?.key === keyOf(found)) {
        await setEnabled(before, isEnabled)
        continue
      }
      if (before) retire(name, before, GRACE_MS)
      known.set(name, make(found, isEnabled))
      tell('mcp_tool_loaded', name)
      count++
    }
    for (const entry of known.values()) entry.obstacle = await findObstacle(entry.found)
    if (count > 0) toolsChanged()
    return count
  }

  async function findObstacle(found: FoundServer): Promise<string | undefined> {
    if ((await parts.lock.read()).entries.has(serverName(found.name)))
      return 'a server of the registry is locked under its name, and used'
    if (await deps.mayStart(found)) return undefined
    return startNotAgreed(found.name)
  }

  /** A gateway starts those whose tools nobody knows yet. A silent one holds up nobody: each has its own time. */
  async function startFirst(): Promise<void> {
    const { entries } = await parts.lock.read()
    const isKnown = async (name: string) => {
      const locked = entries.get(localServerName(name))
      return locked !== undefined && (await isSeen(parts, name, locked.integrity))
    }
    const wanted: Known[] = []
    for (const entry of known.values()) {
      const { found, isEnabled, obstacle } = entry
      const mayStart = isEnabled && obstacle === undefined
      if (mayStart && (deps.mode === 'all' || !(await isKnown(found.name)))) wanted.push(entry)
    }
    await inParallel(wanted, ({ server }) => server.check(parts.lifetime).catch(() => undefined))
  }

  function require(name: string): Known {
    const entry = known.get(name)
    if (!entry) throw serverNotFound(name, known.keys())
    return entry
  }

  async function setEnabled(entry: Known, isEnabled: boolean): Promise<void> {
    if (entry.isEnabled === isEnabled) return
    const { found } = entry
    tell(isEnabled ? 'mcp_tool_enabled' : 'mcp_tool_disabled', found.name)
    retire(found.name, entry, GRACE_MS)
    known.set(found.name, make(found, isEnabled))
    toolsChanged()
  }

  async function turnTo(name: string, isEnabled: boolean): Promise<void> {
    require(name)
    await switches.set(name, isEnabled)
    await inTurn(() => setEnabled(require(name), isEnabled))
  }

  await inTurn(rescan)
  return {
    init: async () => {
      if (known.size === 0) await requirePlace(discovery.places)
      await startFirst()
      return [...known.values()].filter(({ server }) => server.status.state !== 'offline').length
    },
    reload: async () => {
      const count = await inTurn(rescan)
      // What is new is to be seen; whoever asked does not wait for it.
      if (deps.mode !== 'once') void startFirst().catch(() => undefined)
      return count
    },
    close: async (timeoutMs) => {
      for (const [name, entry] of known) retire(name, entry, timeoutMs)
      const ends = await Promise.all(leaving)
      await deps.flushLogs()
      if (ends.includes(false)) throw closeTimeout(timeoutMs)
    },
    list: () => [...known.keys()].sort().map((name) => infoOf(require(name))),
    get: (name) => infoOf(require(name)),
    enable: (name) => turnTo(name, true),
    disable: (name) => turnTo(name, false),
    test: async (local, signal) => {
      const { name } = local.found
      const entry = require(name)
      // What was agreed to is the one that was found; another one was not.
      if (entry !== local) throw serverChanged(name)
      return testServer(entry, { signal, checkTimeoutMs: timing.checkTimeoutMs })
    },
    find: async (name) => {
      const entry = known.get(name)
      const isOfRegistry = entry && (await parts.lock.read()).entries.has(serverName(name))
      return isOfRegistry ? undefined : entry
    },
    get problems() {
      return discovery.problems
    },
    get places() {
      return discovery.places
    },
    recheck: async () => {
      for (const entry of known.values()) {
        entry.obstacle = await findObstacle(entry.found)
        if (entry.listing) await compare(entry, entry.listing)
      }
      toolsChanged()
    },
    onChange: follow(listeners),
    onToolsChange: follow(toolListeners),
  }
}

function follow(listeners: Set<() => void>): (listener: () => void) => () => void {
  return (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

function followBoth(...stops: (() => void)[]): () => void {
  return () => stops.forEach((stop) => stop())
}
