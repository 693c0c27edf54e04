import {
  lockedFqdn,
  PmlError,
  toolNameOf,
  withoutEntries,
  withoutRule,
  type Fqdn,
  type Name,
} from '@pml/core'
import type { CallParts } from './call-parts.ts'
import { suggestLocked, resolveLocked } from '../registry/resolve-reference.ts'
import { removeListing } from '../servers/listing/keep-listing.ts'
import { changeConfig } from '../workspace/change-config.ts'

/** Removes an entry from the lockfile, its consent, and its rule in `.pml.json`. */
export async function removeEntry(parts: CallParts, text: string): Promise<{ fqdn: Fqdn }> {
  const { name } = await resolveLocked(parts, text)
  const locked = (await parts.lock.read()).entries.get(name)
  if (!locked)
    throw new PmlError(
      'not_found',
      `Cannot remove ${name}: it is not in .pml/mcp.lock; ${await suggestLocked(parts, name)}`,
    )
  await forgetEntry(parts, name)
  await changeConfig(parts, (config) => withoutRule(config, toolNameOf(name)))
  return { fqdn: lockedFqdn(locked) }
}

export async function forgetEntry({ files, lock, deps }: CallParts, name: Name): Promise<void> {
  await lock.update((lockfile) => withoutEntries(lockfile, (entry) => entry.name === name).lockfile)
  await removeListing(files, name)
  await deps.remove(name)
}
