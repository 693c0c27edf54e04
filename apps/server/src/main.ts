import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { PmlError } from '@pml/core'
import { createApp } from './app.ts'
import { createCatalogPages } from './catalog/catalog-pages.ts'
import { startConfigSync } from './catalog/config-sync.ts'
import { createCurrentEntries } from './catalog/current-entries.ts'
import { followChanges } from './catalog/follow-changes.ts'
import { createModuleParser } from './catalog/modules/module-parser.ts'
import { parseConfig, type Config } from './config.ts'
import { connect } from './db/connect.ts'
import { holdDataDirectory } from './db/embedded/data-directory.ts'
import { startEmbeddedPostgres } from './db/embedded/start-embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { readDocsPage } from './docs/docs-page.ts'
import { createListener } from './http/listener.ts'
import { createRateLimit } from './http/rate-limit.ts'
import { serve } from './http/serve.ts'
import { ensureAdminKey } from './keys/ensure-admin-key.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { checkReadiness } from './readiness.ts'
import { greet } from './greet.ts'

const SHUTDOWN_MS = 10_000
const FAILED_KEYS_PER_MINUTE = 60
/** The share of the cache's memory that goes to pages of the catalog. */
const PAGES_SHARE = 1 / 8

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url))
const assets = new URL('../assets/', import.meta.url)
const stdDir = join(dirname(createRequire(import.meta.url).resolve('@pml/std/package.json')), 'src')

const parsed = parseConfig(process.env)
if ('problems' in parsed) {
  process.stderr.write(
    `Cannot start: ${parsed.problems.length} setting(s) cannot be used\n${parsed.problems.map((problem) => `  ${problem}\n`).join('')}`,
  )
  process.exit(2)
}
const isTerminal = process.stdout.isTTY === true
const log = createLog({ level: parsed.config.logLevel, stdout: process.stdout, isTerminal })
try {
  await run(parsed.config)
} catch (error) {
  if (!(error instanceof PmlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

async function run(config: Config): Promise<void> {
  /** What must be undone at the end, in the order in which it was done. */
  const started: (() => Promise<void> | void)[] = []
  const stopAll = async () => {
    for (const stop of started.toReversed()) await stop()
  }
  try {
    await start(config, (stop) => started.push(stop))
  } catch (error) {
    await stopAll()
    throw error
  }
  stopOnSignals(stopAll)
}

async function start(config: Config, onStop: (stop: () => Promise<void> | void) => void): Promise<void> {
  const db = connect(config.databaseUrl ?? (await startDatabase(config, onStop)), config)
  onStop(db.close)
  await migrate(db.sql, migrationsDir)
  const migrations = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql')).length
  const adminKey = await createdAdminKey(config, await ensureAdminKey(db, config.adminKey))

  const modules = createModuleParser()
  onStop(modules.close)
  const entries = createCurrentEntries(db, { maxBytes: config.cacheBytes * (1 - PAGES_SHARE) })
  const pages = createCatalogPages(db, { maxBytes: config.cacheBytes * PAGES_SHARE })
  const drop = (name: Parameters<typeof entries.drop>[0]) => {
    entries.drop(name)
    pages.clear()
  }
  const clear = () => {
    entries.clear()
    pages.clear()
  }
  const follower = await followChanges(db, { drop, clear }, log)
  onStop(follower.stop)
  const sync = await startConfigSync({ db, modules, log }, { configDir: config.configDir, stdDir })
  onStop(sync.stop)

  const limit = (perMinute: number) => createRateLimit({ perMinute, now: () => performance.now() })
  const metrics = createMetrics({ cacheBytes: () => entries.heldBytes, databaseUp: () => follower.healthy })
  const app = createApp({
    db,
    entries,
    pages,
    modules,
    metrics,
    log,
    routeTool: sync.routeTool,
    readiness: () => checkReadiness(db, { problems: sync.problems, migrations }),
    failures: limit(FAILED_KEYS_PER_MINUTE),
    writes: limit(config.writesPerMinute),
    reads: config.readsPerMinute === undefined ? undefined : limit(config.readsPerMinute),
    trustProxy: config.trustProxy,
    newRequestId: requestIds(),
    docs: readDocsPage(new URL('docs/', assets)),
    publicUrl: config.publicUrl,
  })
  const routed = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  // Where reads are counted, all of them go through the routes, which count.
  const listener =
    config.readsPerMinute === undefined ? createListener({ entries, pages, metrics, routed }) : routed
  const serving = await serve(listener, config)
  onStop(() => serving.stop(SHUTDOWN_MS))
  greet({ url: serving.url, adminKey, isTerminal, log, print: (text) => process.stdout.write(text) })
}

async function startDatabase(config: Config, onStop: (stop: () => Promise<void>) => void): Promise<string> {
  onStop(await holdDataDirectory(config.dataDir))
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
  onStop(embedded.stop)
  return embedded.url
}

/** A key that was just made is kept beside the data, for its owner only. */
async function createdAdminKey(
  { dataDir }: Config,
  key: string | undefined,
): Promise<{ key: string; file: string } | undefined> {
  if (key === undefined) return undefined
  await mkdir(dataDir, { recursive: true })
  const file = resolve(dataDir, 'admin-key')
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return { key, file }
}

/** Short, and different in every process. */
function requestIds(): () => string {
  const own = randomBytes(4).toString('hex')
  let count = 0
  return () => `${own}-${(count++).toString(36)}`
}

function stopOnSignals(stopAll: () => Promise<void>): void {
  let stopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    await stopAll()
    log.info('stopped')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}
