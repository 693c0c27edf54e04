import { localServerName, serverName } from '@pml/core'
import type { HealthReport } from '../api/pml.ts'
import { inParallel } from '../machine/in-parallel.ts'
import { stateHomeOf } from '../machine/ops.ts'
import { serverPlacesOf } from '../workspace/server-places.ts'
import { discoverServers, printProblem, requirePlace } from './discover/discover-servers.ts'
import type { Discovery } from './discover/found-server.ts'
import { closeTimeout, serverChanged, serverNotFound } from './discover/server-errors.ts'
import { openServerSwitches, serverSwitchesFileOf, type ServerSwitches } from './discover/server-switches.ts'
import {
  compareWithLock,
  findObstacle,
  infoOf,
  keyOf,
  superviseFound,
  type Known,
  type KnownDeps,
} from './known-server.ts'
import { isSeen } from './listing/seen.ts'
import type { ServerParts } from './server-parts.ts'
import type { LocalServerUse, ServerEventName, ServerInfo, Servers } from './servers.ts'
import { openServerLog, serverLogFile, type ServerLog } from './supervise/server-log.ts'
import { timings } from './supervise/servers-mode.ts'
import { testServer } from './test-server.ts'

/** How long calls in flight on a replaced or removed server may take. */
const GRACE_MS = 60_000

/** The servers that files on this machine describe. The files have been read when this resolves. */
export async function openServers(parts: ServerParts): Promise<Servers> {
  const servers = new OwnServers(parts)
  await servers.rescan()
  return servers
}

class OwnServers implements Servers {
  readonly #parts: ServerParts
  readonly #deps: KnownDeps
  readonly #switches: ServerSwitches
  readonly #logs = new Map<string, ServerLog>()
  readonly #known = new Map<string, Known>()
  /** Closing servers, which may still have calls in flight. */
  readonly #closing = new Set<Promise<boolean>>()
  readonly #statusListeners = new Set<() => void>()
  readonly #toolListeners = new Set<() => void>()
  #discovery: Discovery = { servers: new Map(), problems: [], warnings: [], places: [], files: [] }
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#switches = openServerSwitches(serverSwitchesFileOf(parts.ops))
    this.#deps = {
      parts,
      timing: timings[parts.mode],
      logOf: (name) => this.#logOf(name),
      onStatusChange: () => this.#statusChanged(),
      onToolsChange: () => this.#toolsChanged(),
    }
  }

  async init(): Promise<number> {
    if (this.#known.size === 0) await requirePlace(this.#discovery.places)
    await this.#startFirst()
    return [...this.#known.values()].filter(({ server }) => server.status.state !== 'offline').length
  }

  async reload(): Promise<number> {
    const count = await this.rescan()
    // New servers are started in the background; the caller does not wait for them.
    if (this.#parts.mode !== 'once') void this.#startFirst().catch(() => undefined)
    return count
  }

  async close(timeoutMs: number): Promise<void> {
    for (const [name, known] of this.#known) this.#retire(name, known, timeoutMs)
    const ends = await Promise.all(this.#closing)
    await Promise.all(Array.from(this.#logs.values(), (log) => log.flush()))
    if (ends.includes(false)) throw closeTimeout(timeoutMs)
  }

  list(): readonly ServerInfo[] {
    return [...this.#known.keys()].sort().map((name) => this.get(name))
  }

  get(name: string): ServerInfo {
    return infoOf(this.#require(name))
  }

  enable(name: string): Promise<void> {
    return this.#turnTo(name, true)
  }

  disable(name: string): Promise<void> {
    return this.#turnTo(name, false)
  }

  async test(local: LocalServerUse, signal: AbortSignal): Promise<HealthReport> {
    const { name } = local.found
    const known = this.#require(name)
    // The person agreed to the server that was found; a replacement needs a new yes.
    if (known !== local) throw serverChanged(name)
    return testServer(known, { signal, checkTimeoutMs: this.#deps.timing.checkTimeoutMs })
  }

  async find(name: string): Promise<LocalServerUse | undefined> {
    const known = this.#known.get(name)
    const isOfRegistry = known && (await this.#parts.lock.read()).entries.has(serverName(name))
    return isOfRegistry ? undefined : known
  }

  get problems(): Servers['problems'] {
    return this.#discovery.problems
  }

  get places(): Servers['places'] {
    return this.#discovery.places
  }

  async recheck(): Promise<void> {
    for (const known of this.#known.values()) {
      known.obstacle = await findObstacle(this.#parts, known.found)
      await compareWithLock(this.#deps, known)
    }
    this.#toolsChanged()
  }

  onChange(listener: () => void): () => void {
    return follow(this.#statusListeners, listener)
  }

  onToolsChange(listener: () => void): () => void {
    return follow(this.#toolListeners, listener)
  }

  /** Reads the files again. Returns how many servers were added, changed or removed. */
  rescan(): Promise<number> {
    return this.#inTurn(async () => {
      const enabled = await this.#switches.read()
      await this.#discover()
      const broken = new Set(this.#discovery.problems.map(({ file }) => file))
      const count = this.#dropMissing(broken) + (await this.#takeFound(broken, enabled))
      for (const known of this.#known.values()) known.obstacle = await findObstacle(this.#parts, known.found)
      if (count > 0) this.#toolsChanged()
      return count
    })
  }

  /** One at a time: files may change again during a scan. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#turn.then(work, work)
    this.#turn = next.catch(() => undefined)
    return next
  }

  /** Reads all files, and reports the warnings that are new. */
  async #discover(): Promise<void> {
    const told = new Set(this.#news())
    const { ops, files } = this.#parts
    this.#discovery = await discoverServers(serverPlacesOf(ops, files.root))
    for (const news of this.#news()) if (!told.has(news)) ops.tell(news)
  }

  /** Warnings for the person. `mcp list`, which shows all servers, prints the problems itself. */
  #news(): string[] {
    const { warnings, problems } = this.#discovery
    return this.#parts.mode === 'all' ? [...warnings] : [...warnings, ...problems.map(printProblem)]
  }

  /** Drops servers that no file describes any more. A file that cannot be read keeps its servers. */
  #dropMissing(broken: ReadonlySet<string>): number {
    let count = 0
    for (const [name, known] of this.#known) {
      if (this.#discovery.servers.has(name) || broken.has(known.found.file)) continue
      this.#retire(name, known, GRACE_MS)
      this.#note('mcp_tool_removed', name)
      count++
    }
    return count
  }

  /** Adds new servers and replaces changed ones. */
  async #takeFound(broken: ReadonlySet<string>, enabled: ReadonlyMap<string, boolean>): Promise<number> {
    let count = 0
    for (const [name, found] of this.#discovery.servers) {
      const before = this.#known.get(name)
      const isEnabled = enabled.get(name) ?? !found.isDisabled
      const isStillMeant = before && broken.has(before.found.file) && before.found.file !== found.file
      if (isStillMeant || before?.key === keyOf(found)) {
        this.#setEnabled(before, isEnabled)
        continue
      }
      if (before) this.#retire(name, before, GRACE_MS)
      this.#known.set(name, superviseFound(this.#deps, found, isEnabled))
      this.#note('mcp_tool_loaded', name)
      count++
    }
    return count
  }

  /** Starts the servers whose tools are not known yet, each with its own time limit. */
  async #startFirst(): Promise<void> {
    const { entries } = await this.#parts.lock.read()
    const isSeenHere = async (name: string) => {
      const locked = entries.get(localServerName(name))
      return locked !== undefined && (await isSeen(this.#parts, name, locked.integrity))
    }
    const wanted: Known[] = []
    for (const known of this.#known.values()) {
      const mayStart = known.isEnabled && known.obstacle === undefined
      if (mayStart && (this.#parts.mode === 'all' || !(await isSeenHere(known.found.name))))
        wanted.push(known)
    }
    await inParallel(wanted, ({ server }) => server.check(this.#parts.lifetime).catch(() => undefined))
  }

  #require(name: string): Known {
    const known = this.#known.get(name)
    if (!known) throw serverNotFound(name, this.#known.keys())
    return known
  }

  async #turnTo(name: string, isEnabled: boolean): Promise<void> {
    this.#require(name)
    await this.#switches.set(name, isEnabled)
    await this.#inTurn(async () => this.#setEnabled(this.#require(name), isEnabled))
  }

  #setEnabled(known: Known, isEnabled: boolean): void {
    if (known.isEnabled === isEnabled) return
    const { found } = known
    this.#note(isEnabled ? 'mcp_tool_enabled' : 'mcp_tool_disabled', found.name)
    this.#retire(found.name, known, GRACE_MS)
    this.#known.set(found.name, superviseFound(this.#deps, found, isEnabled))
    this.#toolsChanged()
  }

  #retire(name: string, known: Known, graceMs: number): void {
    known.stopListening()
    const end = known.server.close(graceMs)
    this.#closing.add(end)
    void end.finally(() => this.#closing.delete(end))
    if (this.#known.get(name) === known) this.#known.delete(name)
  }

  #logOf(name: string): ServerLog {
    const { env, platform, now } = this.#parts.ops
    const file = serverLogFile(stateHomeOf(env, platform), name)
    const log = this.#logs.get(name) ?? openServerLog({ file, now })
    this.#logs.set(name, log)
    return log
  }

  #note(event: ServerEventName, name: string): void {
    if (this.#parts.mode !== 'once') this.#logOf(name).note(event)
  }

  #statusChanged(): void {
    this.#statusListeners.forEach((listener) => listener())
  }

  #toolsChanged(): void {
    this.#toolListeners.forEach((listener) => listener())
    this.#statusChanged()
  }
}

function follow(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
