import { lockedFqdn } from '@pml/core'
import type { OwnContext } from '../own-tools.ts'

export async function run({ lockfile }: OwnContext) {
  const { lock, files } = await lockfile()
  const entries = Array.from((await lock.read()).entries.values(), (entry) => ({
    fqdn: lockedFqdn(entry),
    integrity: entry.integrity,
    fetchedAt: entry.fetchedAt,
    type: entry.type,
    routing: entry.routing,
  }))
  return { path: files.lock, entries: entries.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1)) }
}
