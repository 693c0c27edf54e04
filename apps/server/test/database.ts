import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'

/** Creates a migrated database. It is dropped with the whole Postgres at the end of the run. */
export async function createDatabase({ template = 'migrated' } = {}): Promise<string> {
  const url = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await admin.unsafe(`create database ${name} template ${template}`)
  } finally {
    await admin.end()
  }
  return url.replace(/\/postgres$/, `/${name}`)
}
