import { join } from 'node:path'
import { connect } from '@pml/server/db/connect'
import { startEmbeddedPostgres } from '@pml/server/db/embedded/start-embedded-postgres'
import { createLog } from '@pml/server/log'
import type { Bench } from './bench.ts'
import { makeTempFolder } from './temp-folder.ts'

export async function startPostgres({ stops }: Pick<Bench, 'stops'>): Promise<string> {
  const log = createLog({
    level: 'warn',
    stdout: process.stderr,
    isTerminal: false,
    onExit: (listener) => process.on('exit', listener),
  })
  const folder = await makeTempFolder(stops)
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log })
  stops.add(postgres.stop)
  return postgres.url
}

export async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  const db = connect(postgresUrl, { poolSize: 1 })
  try {
    await db.sql`create database ${db.sql(name)}`
  } finally {
    await db.close()
  }
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}
