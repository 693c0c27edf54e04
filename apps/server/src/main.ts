import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { PmlError } from '@pml/core'
import { parseConfig, variablesIn, type Config } from './config.ts'
import { openLogKey } from './audit/log-key.ts'
import { connect, explainFailure } from './db/connect.ts'
import { holdDataDirectory } from './db/embedded/data-directory.ts'
import { startEmbeddedPostgres } from './db/embedded/start-embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { requireSessions } from './db/require-sessions.ts'
import { greet, type NewAdminKey } from './greet.ts'
import { withDeadline } from './db/deadline.ts'
import { serve } from './wire/serve.ts'
import { ensureAdminKey } from './keys/ensure-admin-key.ts'
import { createLog } from './log.ts'
import { createRegistry } from './registry.ts'

type Stop = () => Promise<void> | void

const SHUTDOWN_MS = 10_000
const STOP_DEADLINE_MS = 15_000
/** Signals within this time after the first one are copies of it. */
const INSIST_MS = 1000

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url))
const assets = new URL('docs/reference/', import.meta.url)
const stdDir = join(dirname(createRequire(import.meta.url).resolve('@pml/std/package.json')), 'src')

// By default the heap grows to four times the live data before a collection, which slows down many reads.
setFlagsFromString('--heap-growing-percent=60')

const parsed = parseConfig(process.env)
if ('problems' in parsed) {
  process.stderr.write(
    `Cannot start: invalid settings:\n${parsed.problems.map((problem) => `  ${problem}\n`).join('')}`,
  )
  process.exit(2)
}
const variables = variablesIn(process.env)
const isTerminal = process.stdout.isTTY === true
const log = createLog({
  level: parsed.config.logLevel,
  stdout: process.stdout,
  isTerminal,
  onExit: (listener) => process.on('exit', listener),
})
const started: Stop[] = []
try {
  stopOnSignals()
  await start(parsed.config)
} catch (error) {
  await stopAll()
  if (!(error instanceof PmlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error.code === 'invalid_config' ? error.exitCode : 1)
}

async function start(config: Config): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await startDatabase(config))
  const db = connect(databaseUrl, config)
  started.push(db.close)
  try {
    await requireSessions(db)
    await migrate(db.sql, migrationsDir)
  } catch (error) {
    throw explainFailure(error, databaseUrl) ?? error
  }
  const migrations = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql')).length
  let adminKey: NewAdminKey | undefined
  const keep = async (key: string) => {
    adminKey = await keepAdminKey(config, key)
  }
  await ensureAdminKey(db, { given: config.adminKey, keep })
  const file = config.logKeyFile ?? join(config.dataDir, 'log-key')
  const signer = await openLogKey(db, { file: resolve(file), publicUrl: config.publicUrl })
  const registry = await createRegistry({ db, log, config, variables, signer, stdDir, assets, migrations })
  started.push(registry.stop)
  const serving = await serve(registry.listener, config)
  started.push(() => {
    registry.release()
    return serving.stop(SHUTDOWN_MS)
  })
  greet({ url: serving.url, adminKey, isTerminal, print: (text) => process.stdout.write(text) })
}

async function startDatabase({ dataDir }: Config): Promise<string> {
  started.push(await holdDataDirectory(dataDir))
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  started.push(embedded.stop)
  return embedded.url
}

/** Saves a new admin key in the data directory, readable only by its owner. */
async function keepAdminKey({ dataDir }: Config, key: string): Promise<NewAdminKey> {
  await mkdir(dataDir, { recursive: true })
  const file = resolve(dataDir, 'admin-key')
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return { key, file }
}

/** Stops all parts in reverse order, even if one does not stop in time. */
async function stopAll(): Promise<void> {
  for (let stop = started.pop(); stop; stop = started.pop()) {
    await withDeadline(Promise.resolve(stop()), STOP_DEADLINE_MS).catch((error) => {
      log.error({ err: error }, 'a part of the server did not stop cleanly')
    })
  }
}

/**
 * The first signal stops the server cleanly. Signals soon after it are ignored, because a terminal, npm and a supervisor
 * may each deliver one. A later signal exits immediately.
 */
function stopOnSignals(): void {
  let began: number | undefined
  const stop = async (signal: NodeJS.Signals) => {
    if (began !== undefined) {
      if (performance.now() - began >= INSIST_MS) process.exit(1)
      return
    }
    began = performance.now()
    log.info({ signal }, 'stopping')
    await stopAll()
    log.info('stopped')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}
