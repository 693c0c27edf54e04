import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
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
import type { Enforcement } from '../hooks/parse-enforcement.ts'
import { readConfigFiles } from './config-files.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { recordConfig } from './record-config.ts'
import { syncRouting } from './sync-routing.ts'
import { syncServers } from './sync-servers.ts'
import { syncStd } from './sync-std.ts'

export interface ConfigSync {
  /** What keeps the files from being what the registry serves; empty when all is well. */
  readonly problems: readonly string[]
  routeTool(name: Name): Routing
  /** What config/approvals.json says; undefined until the files could be read once. */
  readonly approvals: ApprovalConfig | undefined
  /** What config/enforcement.json says; undefined where there is none, or until the files could be read once. */
  readonly enforcement: Enforcement | undefined
  stop(): Promise<void>
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  readonly log: Logger
}

/** How soon a change on disk is noticed, and how soon a sync that the database cut off is tried again. */
const LOOK_MS = 300

/** Brings the files into the database now and whenever they change; files that cannot be used change nothing. */
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
      const files = await readConfigFiles(configDir)
      routes = files.routes
      approvals = files.approvals
      enforcement = files.enforcement
      for (const sentence of files.ignored) deps.log.warn(sentence)
      const counts = {
        std: (await syncStd({ ...deps, routes }, stdDir)).changed,
        routing: (await syncRouting(deps.db, routes)).changed,
        servers: files.servers
          ? (await syncServers(deps.db, { ...files, servers: files.servers })).changed
          : 0,
      }
      await recordConfig(deps.db, { files: files.digests, changed: counts })
      const changed = counts.std + counts.routing + counts.servers
      if (changed > 0 || problems.length > 0) deps.log.info({ changed }, 'configuration is in effect')
      problems = []
    } catch (error) {
      report(error)
    }
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
      await looking
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
