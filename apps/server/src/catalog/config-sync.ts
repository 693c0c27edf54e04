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
  /** What keeps the files from being what the registry serves; empty when all is well. */
  readonly problems: readonly string[]
  routeTool(name: Name): Routing
  /** What config/approvals.json says; undefined until the files could be read once. */
  readonly approvals: ApprovalConfig | undefined
  /** What config/enforcement.json says; undefined where there never was one, or until the files could be read once. */
  readonly enforcement: Enforcement | undefined
  stop(): Promise<void>
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  readonly log: Logger
}

/** How long a start waits for published modules to follow new routing rules; in a large registry that goes on behind it. */
const ROUTING_PATIENCE_MS = 500
/** How soon a change on disk is noticed, and how soon a sync that the database cut off is tried again. */
const LOOK_MS = 300
const STOP_MS = 3000

/** Brings the files into the database now and whenever they change; files that are missing or invalid change nothing. */
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
   * Files that are being replaced one after the other must have come to rest. The fingerprint is taken before they are
   * read: what changes in between is seen by the next look.
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

  /** New publications follow the new rules at once; modules keep the routing they have until it is their turn. */
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
      deps.log.error({ problems }, 'configuration cannot be used; the last good state stays')
      return
    }
    deps.log.error({ err: error }, 'configuration could not be brought into the database')
    problems = ['the configuration could not be brought into the database; see the log']
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
      // A disk that does not answer must not hold up the stop; nothing is written after it.
      await withDeadline(looking, STOP_MS).catch(() => deps.log.warn('a look at config/ did not end in time'))
      await routing
      clearTimeout(timer)
    },
  }
}

/** Looking is dearer than being told, but works on every file system, mounts from another machine included. */
async function fingerprintOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  const lines = files.toSorted().map(async (file) => {
    const stats = await stat(join(folder, file), { bigint: true }).catch(() => undefined)
    return `${file} ${stats?.ino} ${stats?.size} ${stats?.mtimeNs} ${stats?.ctimeNs}`
  })
  return (await Promise.all(lines)).join('\n')
}
