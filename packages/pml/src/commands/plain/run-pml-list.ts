import { decide, lockedFqdn, toolNameOf } from '@pml/core'
import type { OwnContext } from '../own-tools.ts'

export async function run({ lockfile }: OwnContext) {
  const { lock, config } = await lockfile()
  const { permissions } = await config.read()
  const entries = [...(await lock.read()).entries.values()].map((entry) => ({
    fqdn: lockedFqdn(entry),
    type: entry.type,
    routing: entry.routing,
    rule: decide(permissions, toolNameOf(entry.name)),
    fetchedAt: entry.fetchedAt,
  }))
  return { entries: entries.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1)) }
}
