import {
  noRoutingRules,
  PmlError,
  routingFor,
  toolNameOf,
  type Name,
  type Routing,
  type RoutingRules,
} from '@pml/core'
import { watch } from 'chokidar'
import type { Logger } from 'pino'
import { isConnectionError, type Database } from '../db/connect.ts'
import { readConfigFiles } from './config-files.ts'
import type { ModuleParser } from './modules/module-parser.ts'
import { syncRouting } from './sync-routing.ts'
import { syncServers } from './sync-servers.ts'
import { syncStd } from './sync-std.ts'

export interface ConfigSync {
  /** What keeps the files from being what the registry serves; empty when all is well. */
  readonly problems: readonly string[]
  routeTool(name: Name): Routing
  stop(): Promise<void>
}

interface Deps {
  readonly db: Database
  readonly modules: ModuleParser
  readonly log: Logger
}

const SETTLE_MS = 100
const RETRY_MS = 1000

/** Brings the files into the database now and whenever they change; files that cannot be used change nothing. */
export async function startConfigSync(
  deps: Deps,
  { configDir, stdDir }: { configDir: string; stdDir: string },
): Promise<ConfigSync> {
  let problems: readonly string[] = []
  let routes: RoutingRules = noRoutingRules
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function sync(): Promise<void> {
    try {
      const files = await readConfigFiles(configDir)
      routes = files.routes
      for (const sentence of files.ignored) deps.log.warn(sentence)
      const counts = [await syncStd({ ...deps, routes }, stdDir), await syncRouting(deps.db, routes)]
      if (files.servers) counts.push(await syncServers(deps.db, { ...files, servers: files.servers }))
      const changed = counts.reduce((sum, count) => sum + count.changed, 0)
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
    if (isConnectionError(error)) schedule(RETRY_MS)
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(sync)
    }, delayMs)
  }

  await sync()
  const watcher = watch(configDir, { ignoreInitial: true, depth: 1 })
  watcher.on('all', () => schedule(SETTLE_MS))
  watcher.on('error', (error) => deps.log.error({ err: error }, 'configuration is no longer watched'))
  return {
    get problems() {
      return problems
    },
    routeTool: (name) => routingFor(routes, toolNameOf(name)),
    stop: async () => {
      clearTimeout(timer)
      await watcher.close()
      await running
    },
  }
}
