import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../src/db/migrate.ts'
import { migrationsDir } from './paths.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** Starts one real Postgres for all tests. Each test file copies its databases from a migrated template. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pml-test-'))
  const embedded = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })
  const admin = postgres(embedded.url, { max: 1, onnotice: () => {} })
  await admin`create database migrated`
  await admin.end()
  const migrated = postgres(embedded.url.replace(/\/postgres$/, '/migrated'), { max: 1, onnotice: () => {} })
  await migrate(migrated, migrationsDir)
  await migrated.end()
  project.provide('postgresUrl', embedded.url)
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true })
  }
}
