import { isLocal, lockedFqdn, PmlError, type Fqdn, type LockedEntry } from '@pml/core'
import { inParallel } from '../machine/in-parallel.ts'
import type { Parts } from '../registry/parts.ts'

interface Outdated {
  readonly entry: LockedEntry
  readonly locked: Fqdn
  /** Null if the name was retired. */
  readonly current: Fqdn | null
}

/** Finds locked entries with another current release in the registry. Skips local servers, which the registry does not have. */
export async function findOutdated({ lock, registry }: Parts): Promise<Outdated[]> {
  const { entries } = await lock.read()
  const asked = [...entries.values()].filter(({ name }) => !isLocal(name))
  const found = await inParallel(asked, async (entry) => {
    const locked = lockedFqdn(entry)
    const current = await registry.readCurrentFqdn(entry.name).catch((error: unknown) => {
      if (error instanceof PmlError && ['gone', 'not_found'].includes(error.code)) return null
      throw error
    })
    return current === locked ? [] : [{ entry, locked, current }]
  })
  return found.flat()
}
