import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'
import { parseConfig, type Config } from './config.ts'
import { connect, explainFailure } from './db/connect.ts'
import { holdDataDirectory } from './db/embedded/data-directory.ts'
import { startEmbeddedPostgres } from './db/embedded/start-embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { greet } from './greet.ts'
import { serve } from './http/serve.ts'
import { ensureAdminKey } from './keys/ensure-admin-key.ts'
import { createLog } from './log.ts'
import { createRegistry } from './registry.ts'

type Stop = () => Promise<void> | void

const SHUTDOWN_MS = 10_000

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url))
const assets = new URL('../assets/', import.meta.url)
const stdDir = join(dirname(createRequire(import.meta.url).resolve('@pml/std/package.json')), 'src')

const parsed = parseConfig(process.env)
if ('problems' in parsed) {
  process.stderr.write(
    `Cannot start, because of these settings:\n${parsed.problems.map((problem) => `  ${problem}\n`).join('')}`,
  )
  process.exit(2)
}
const isTerminal = process.stdout.isTTY === true
const log = createLog({ level: parsed.config.logLevel, stdout: process.stdout, isTerminal })
const started: Stop[] = []
try {
  stopOnSignals()
  await start(parsed.config)
} catch (error) {
  await stopAll()
  if (!(error instanceof PmlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

async function start(config: Config): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await startDatabase(config))
  const db = connect(databaseUrl, config)
  started.push(db.close)
  await migrate(db.sql, migrationsDir).catch((error) => {
    throw explainFailure(error, databaseUrl) ?? error
  })
  const migrations = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql')).length
  const created = await ensureAdminKey(db, config.adminKey)
  const adminKey = created === undefined ? undefined : await keepAdminKey(config, created)
  const registry = await createRegistry({ db, log, config, stdDir, assets, migrations })
  started.push(registry.stop)
  const serving = await serve(registry.listener, config)
  started.push(() => serving.stop(SHUTDOWN_MS))
  greet({ url: serving.url, adminKey, isTerminal, log, print: (text) => process.stdout.write(text) })
}

async function startDatabase({ dataDir }: Config): Promise<string> {
  started.push(await holdDataDirectory(dataDir))
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  started.push(embedded.stop)
  return embedded.url
}

/** A key that was just made is kept beside the data, for its owner only. */
async function keepAdminKey({ dataDir }: Config, key: string): Promise<{ key: string; file: string }> {
  await mkdir(dataDir, { recursive: true })
  const file = resolve(dataDir, 'admin-key')
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return { key, file }
}

async function stopAll(): Promise<void> {
  for (let stop = started.pop(); stop; stop = started.pop()) await stop()
}

function stopOnSignals(): void {
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
