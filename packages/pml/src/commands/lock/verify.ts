import { IntegrityError, isLocal, lockedFqdn, PmlError, type LockedEntry } from '@pml/core'
import { inParallel } from '../../machine/in-parallel.ts'
import type { Parts } from '../../registry/parts.ts'
import { findListing } from '../../servers/listing/find-listing.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Read the lockfile and hash the content of every entry in it, cached or fetched.',
  effect: 'read',
  output: ({ z, fqdn }) =>
    z.object({
      entries: z.int(),
      verified: z.int(),
      unknown: z.array(fqdn).describe('Not cached, and not fetched because of --offline'),
    }),
  run: async ({ client }) => verifyLock(await client()),
})

/** Hashes the content of every entry, cached or fetched by its integrity. Throws an error that lists all that differ. */
async function verifyLock(parts: Parts) {
  const entries = [...(await parts.lock.read()).entries.values()]
  const problems: string[] = []
  let unreachable: PmlError | undefined
  const found = await inParallel(entries, (entry) =>
    isVerified(parts, entry).catch((error: unknown) => {
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

/** False if the content is not cached and must not be fetched. */
async function isVerified(parts: Parts, entry: LockedEntry): Promise<boolean> {
  if (isLocal(entry.name)) return isListed(parts, entry)
  const { cache, registry, isOffline } = parts
  const { integrity } = entry
  if (await cache.find(integrity)) return true
  if (isOffline) return false
  await cache.put(integrity, await registry.readBlob(integrity))
  return true
}

/** Requires that the committed listing of a local server is the locked one. */
async function isListed({ files }: Parts, entry: LockedEntry): Promise<true> {
  if (await findListing(files, entry)) return true
  throw new IntegrityError(
    'integrity_mismatch',
    `its listing in ${files.servers} is missing or is not ${entry.integrity}; restore it from version control, or use the server once to have it written`,
  )
}
