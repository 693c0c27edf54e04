import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  noRoutingRules,
  PmlError,
  routingFor,
  toolNameOf,
  type Name,
  type Routing,
  type RoutingRules,
} from '@pml/core'
import type { ApprovalConfig } from '@pml/core/approval-config'
import type { Logger } from 'pino'
import type { Database } from '../db/connect.ts'
import { withDeadline } from '../db/deadline.ts'
import type { Enforcement } from '../hooks/parse-enforcement.ts'
import { readConfigFiles } from './config-files.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { readKeptConfig, recordConfig, type AppliedConfig } from './record-config.ts'
import { syncRouting } from './sync-routing.ts'
import { syncServers } from './sync-servers.ts'
import { syncStd } from './sync-std.ts'

export interface ConfigSync {
  /** Why the files are not in effect; empty if they are. */
  readonly problems: readonly string[]
  routeTool(name: Name): Routing
  /** The content of config/approvals.json; undefined until the first successful read. */
  readonly approvals: ApprovalConfig | undefined
  /** The content of config/enforcement.json; undefined until it was read once. */
  readonly enforcement: Enforcement | undefined
  stop(): Promise<void>
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  readonly log: Logger
}

/** How long a start waits for new routing rules to reach published modules; after that they apply in the background. */
const ROUTING_PATIENCE_MS = 500
/** The interval for detecting changes on disk and for retrying a failed sync. */
const LOOK_MS = 300
const STOP_MS = 3000

/** Loads the files into the database now and after every change. Missing or invalid files change nothing. */
export async function startConfigSync(
  deps: Deps,
  { configDir, stdDir }: { configDir: string; stdDir: string },
): Promise<ConfigSync> {
  let problems: readonly string[] = []
  let routes: RoutingRules = noRoutingRules
  let approvals: ApprovalConfig | undefined
  let enforcement: Enforcement | undefined
  let synced: string | undefined
  let seen: string | undefined
  let stopped = false
  let routing = Promise.resolve()
  let routed = new AbortController()
  let timer: NodeJS.Timeout | undefined

  /**
   * Syncs once the files have stopped changing. Takes the fingerprint before the read, so that the next look detects
   * changes made in between.
   */
  async function look(): Promise<void> {
    const found = await fingerprintOf(configDir)
    if (found !== synced && (found === seen || synced === undefined)) {
      synced = found
      await sync()
    }
    seen = found
    if (!stopped) timer = setTimeout(() => (looking = look()), LOOK_MS)
  }

  async function sync(): Promise<void> {
    try {
      const files = await readConfigFiles(configDir, await readKeptConfig(deps.db))
      routes = files.routes
      approvals = files.approvals
      enforcement = files.enforcement
      for (const sentence of files.ignored) deps.log.warn(sentence)
      const counts = {
        std: (await syncStd({ ...deps, routes }, stdDir)).changed,
        servers: files.servers
          ? (await syncServers(deps.db, { ...files, servers: files.servers })).changed
          : 0,
      }
      await recordConfig(deps.db, { texts: files.texts, changed: { ...counts, routing: 0 } })
      await applyRouting(files.texts)
      const changed = counts.std + counts.servers
      if (changed > 0 || problems.length > 0) deps.log.info({ changed }, 'configuration is in effect')
      problems = files.missing
      if (problems.length > 0) deps.log.error({ problems }, 'configuration files are missing')
    } catch (error) {
      report(error)
    }
  }

  /** Applies new rules to published modules in the background; new publications follow them immediately. */
  async function applyRouting(texts: AppliedConfig['texts']): Promise<void> {
    routed.abort()
    await routing
    routed = new AbortController()
    const { signal } = routed
    routing = moveModules(texts, signal).catch((error: unknown) => {
      if (!signal.aborted) report(error)
    })
    await Promise.race([routing, sleep(ROUTING_PATIENCE_MS, undefined, { ref: false })])
  }

  async function moveModules(texts: AppliedConfig['texts'], signal: AbortSignal): Promise<void> {
    const { changed } = await syncRouting(deps.db, routes, signal)
    if (changed === 0) return
    await recordConfig(deps.db, { texts, changed: { std: 0, servers: 0, routing: changed } })
    deps.log.info({ changed }, 'published modules follow the routing rules')
  }

  function report(error: unknown): void {
    if (error instanceof PmlError) {
      problems = [error.message]
      deps.log.error({ problems }, 'configuration is invalid; the last valid one stays in effect')
      return
    }
    deps.log.error({ err: error }, 'cannot write the configuration to the database')
    problems = ['cannot write the configuration to the database; see the log']
    synced = undefined
  }

  let looking = look()
  await looking
  return {
    get problems() {
      return problems
    },
    get approvals() {
      return approvals
    },
    get enforcement() {
      return enforcement
    },
    routeTool: (name) => routingFor(routes, toolNameOf(name)),
    stop: async () => {
      stopped = true
      routed.abort()
      // A hanging disk must not block the shutdown; nothing is written after it.
      await withDeadline(looking, STOP_MS).catch(() => deps.log.warn('timed out reading config/'))
      await routing
      clearTimeout(timer)
    },
  }
}

/** Polls, because file system events do not work on every file system, such as network mounts. */
async function fingerprintOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  const lines = files.toSorted().map(async (file) => {
    const stats = await stat(join(folder, file), { bigint: true }).catch(() => undefined)
    return `${file} ${stats?.ino} ${stats?.size} ${stats?.mtimeNs} ${stats?.ctimeNs}`
  })
  return (await Promise.all(lines)).join('\n')
}
