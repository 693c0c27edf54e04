import { lockedFqdn, PmlError, withEntry, type LockedEntry } from '@pml/core'
import type { Client } from '../../calls/open-client.ts'
import { requireNotDenied } from '../../workspace/workspace-config-file.ts'
import { requireOfRegistry } from '../../registry/registry-client.ts'
import { resolveLocked } from '../../registry/resolve-reference.ts'
import { suggestLocked } from '../../registry/resolve-reference.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Lock the previous release of an entry again.

The current release counts as declined from then on; "pml update" asks about it again.

## Examples

\`\`\`json
{ "name": "memory" }
\`\`\`
`,
  effect: 'write',
  input: ({ z, reference }) => z.object({ name: reference }),
  output: ({ z, fqdn }) => z.object({ from: fqdn, to: fqdn }),
  run: async ({ client, person }, { name }) => {
    await person.refuseAgents({ what: `roll back ${name}`, command: `pml rollback ${name}` })
    return rollBack(await client(), name)
  },
})

/** Records the current release as declined, so that the registry does not offer it again. */
async function rollBack(parts: Client, text: string) {
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
  await cacheRelease(parts, earlier)
  await parts.lock.update((lockfile) => {
    if (lockfile.entries.get(name)?.integrity !== locked.integrity)
      throw new PmlError('integrity_mismatch', `Cannot roll back ${name}: it changed meanwhile; run it again`)
    return withEntry(lockfile, earlier)
  })
  await parts.history.change(name, ({ declined }) => ({
    declined: [locked.integrity, ...declined],
    earlier: rest,
  }))
  return { from: lockedFqdn(locked), to: lockedFqdn(earlier) }
}

async function cacheRelease({ cache, registry, isOffline }: Client, entry: LockedEntry): Promise<void> {
  if (await cache.find(entry.integrity)) return
  if (isOffline)
    throw new PmlError(
      'unavailable',
      `Cannot roll back ${entry.name} offline: ${lockedFqdn(entry)} is not cached; leave out --offline`,
    )
  await cache.put(entry.integrity, await registry.readBlob(entry.integrity))
}
