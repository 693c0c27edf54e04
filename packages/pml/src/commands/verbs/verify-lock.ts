import { IntegrityError, isLocal, lockedFqdn, PmlError, type LockedEntry } from '@pml/core'
import type { Parts } from '../../registry/parts.ts'
import { inParallel } from '../../machine/in-parallel.ts'
import { findListing } from '../../servers/listing/find-listing.ts'

export interface VerifiedLock {
  readonly entries: number
  readonly verified: number
  /** Offline, entries that are not cached cannot be looked at. */
  readonly unknown: readonly string[]
}

/** Hashes the content of every entry, cached or fetched by its integrity. Throws about all that is not what is locked. */
export async function verifyLock(parts: Parts): Promise<VerifiedLock> {
  const entries = [...(await parts.lock.read()).entries.values()]
  const problems: string[] = []
  let unreachable: PmlError | undefined
  const found = await inParallel(entries, (entry) =>
    look(parts, entry).catch((error: unknown) => {
      if (!(error instanceof PmlError)) throw error
      if (error.code === 'unavailable') unreachable = error
      else problems.push(`${lockedFqdn(entry)}: ${error.message}`)
      return true
    }),
  )
  if (problems.length > 0)
    throw new IntegrityError(
      'integrity_mismatch',
      `Cannot verify .pml/mcp.lock, ${problems.length} of ${entries.length} entries:\n${problems.join('\n')}`,
      { problems },
    )
  if (unreachable) throw unreachable
  const unknown = entries.filter((_, index) => !found[index]).map(lockedFqdn)
  return { entries: entries.length, verified: entries.length - unknown.length, unknown }
}

/** False when it cannot be told. */
async function look(parts: Parts, entry: LockedEntry): Promise<boolean> {
  if (isLocal(entry.name)) return lookAtListing(parts, entry)
  const { cache, registry, isOffline } = parts
  const { integrity } = entry
  if (await cache.find(integrity)) return true
  if (isOffline) return false
  await cache.put(integrity, await registry.readBlob(integrity))
  return true
}

/** What is committed for others to see must be what is locked. */
async function lookAtListing({ files }: Parts, entry: LockedEntry): Promise<true> {
  if (await findListing(files, entry)) return true
  throw new IntegrityError(
    'integrity_mismatch',
    `its listing in ${files.servers} is missing or is not ${entry.integrity}; restore it from version control, or use the server once to have it written`,
  )
}
