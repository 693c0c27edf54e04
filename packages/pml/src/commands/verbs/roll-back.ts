import { lockedFqdn, PmlError, withEntry, type Fqdn } from '@pml/core'
import type { CallParts } from '../../calls/call-parts.ts'
import { requireNotDenied } from '../../workspace/workspace-config-file.ts'
import { requireOfRegistry } from '../../registry/registry-client.ts'
import { suggestLocked, resolveLocked } from '../../registry/resolve-reference.ts'

export interface RolledBack {
  readonly from: Fqdn
  readonly to: Fqdn
}

/** Locks the release that was locked before. What is left counts as declined, so that the registry's word does not bring it back. */
export async function rollBack(parts: CallParts, text: string): Promise<RolledBack> {
  const { name } = await resolveLocked(parts, text)
  requireOfRegistry(name)
  await requireNotDenied(parts, name)
  const locked = (await parts.lock.read()).entries.get(name)
  if (!locked)
    throw new PmlError(
      'not_found',
      `Cannot roll back ${name}: it is not in .pml/mcp.lock; ${await suggestLocked(parts, name)}`,
    )
  if (parts.isFrozen)
    throw new PmlError('lock_frozen', `Cannot roll back ${name}: .pml/mcp.lock is frozen; leave out --frozen`)
  const [earlier, ...rest] = (await parts.history.find(name)).earlier
  if (!earlier)
    throw new PmlError(
      'not_found',
      `Cannot roll back ${name}: no other release of it was locked here before; "pml catalog history ${name}" lists the registry's`,
    )
  const cached = await parts.cache.find(earlier.integrity)
  if (!cached) {
    if (parts.isOffline)
      throw new PmlError(
        'unavailable',
        `Cannot roll back ${name} offline: ${lockedFqdn(earlier)} is not cached; leave out --offline`,
      )
    await parts.cache.put(earlier.integrity, await parts.registry.readBlob(earlier.integrity))
  }
  await parts.lock.update((lockfile) => {
    if (lockfile.entries.get(name)?.integrity !== locked.integrity)
      throw new PmlError(
        'integrity_mismatch',
        `Cannot roll back ${name}: it was changed meanwhile; run it again`,
      )
    return withEntry(lockfile, earlier)
  })
  await parts.history.change(name, ({ declined }) => ({
    declined: [locked.integrity, ...declined],
    earlier: rest,
  }))
  return { from: lockedFqdn(locked), to: lockedFqdn(earlier) }
}
