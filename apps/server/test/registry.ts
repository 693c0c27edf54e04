import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openLogKey } from '../src/audit/log-key.ts'
import type { LaneLimits } from '../src/catalog/catalog-lane.ts'
import { connect, type Database } from '../src/db/connect.ts'
import { createKey } from '../src/keys/create-key.ts'
import type { Actor } from '../src/keys/actor.ts'
import { usualLimits, type ProxyLimits } from '../src/proxy/limits.ts'
import { createRegistry, type RegistryDeps } from '../src/registry.ts'
import { createDatabase } from './database.ts'
import { assets, migrationsDir } from './paths.ts'

export const admin: Actor = { id: 'test', scopes: ['admin'], specialist: undefined }

export interface TestRegistry {
  readonly db: Database
  readonly databaseUrl: string
  readonly url: string
  readonly configDir: string
  readonly stdDir: string
  readonly log: string[]
  /** Fetches through a real socket without following redirects. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Returns the Authorization header of a new key with these scopes. */
  key(...scopes: string[]): Promise<{ Authorization: string }>
  stop(): Promise<void>
}

const logKeys = mkdtempSync(join(tmpdir(), 'pml-log-keys-'))
process.on('exit', () => rmSync(logKeys, { recursive: true, force: true }))

/** Registries on one database share the key of its log, as replicas do. */
export function openTestLogKey(db: Database, databaseUrl: string) {
  const file = join(logKeys, new URL(databaseUrl).pathname.slice(1))
  return openLogKey(db, { file, publicUrl: undefined })
}

/**
 * Starts a registry in this process on a real database and a real socket, with an empty std folder and a configuration
 * in which every specialist may decide about everything.
 */
export async function startRegistry(
  options: Partial<RegistryDeps['config']> & {
    databaseUrl?: string
    stdDir?: string
    toolsDir?: string
    variables?: Record<string, string>
    proxyLimits?: Partial<ProxyLimits>
    webhookPauseMs?: number
    catalogLimits?: LaneLimits
    /** The initial configuration files by name; undefined omits one. A `configDir` is used unchanged. */
    configFiles?: Record<string, string | undefined>
  } = {},
): Promise<TestRegistry> {
  const databaseUrl = options.databaseUrl ?? (await createDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'pml-registry-'))
  const configDir = options.configDir ?? join(folder, 'config')
  const stdDir = options.stdDir ?? join(folder, 'std')
  for (const path of [configDir, stdDir]) await mkdir(path, { recursive: true })
  const usual = options.configDir === undefined ? { 'approvals.json': '{}' } : {}
  for (const [name, text] of Object.entries({ ...usual, ...options.configFiles }))
    if (text !== undefined) await writeFile(join(configDir, name), text)
  const log: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => log.push(line) })
  const db = connect(databaseUrl, { poolSize: 4 })
  const config = {
    cacheBytes: 8 * 1024 * 1024,
    cacheFileBytes: 64 * 1024 * 1024,
    dataDir: join(folder, 'data'),
    writesPerMinute: 100_000,
    readsPerMinute: undefined,
    trustProxy: false,
    publicUrl: undefined,
    disabledTools: [],
    allowedHosts: [],
    proxyAllow: [],
    bodyBudgetBytes: 128 * 1024 * 1024,
    host: '127.0.0.1',
    ...options,
    configDir,
  }
  const registry = await createRegistry({
    db,
    log: logger,
    config,
    signer: await openTestLogKey(db, databaseUrl),
    variables: new Map(Object.entries(options.variables ?? {})),
    proxyLimits: { ...usualLimits, ...options.proxyLimits },
    webhookPauseMs: options.webhookPauseMs,
    catalogLimits: options.catalogLimits,
    stdDir,
    toolsDir: options.toolsDir,
    assets,
    migrations: (await readdir(migrationsDir)).length,
  })
  const server = createServer(registry.listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    db,
    databaseUrl,
    url,
    configDir,
    stdDir,
    log,
    fetch: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    key: async (...scopes) => {
      const { key } = await createKey(db, admin, async () => ({
        name: 'test',
        scopes,
        specialist: undefined,
        expiresInDays: undefined,
      }))
      return { Authorization: `Bearer ${key}` }
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await registry.stop()
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}
