import { lockedFqdn, PmlError, type Fqdn, type LockedEntry } from '@pml/core'
import type { Parts } from '../../registry/parts.ts'
import { removeListing } from '../../servers/listing/keep-listing.ts'

const DAY_MS = 86_400_000
const agePattern = /^(\d{1,5})([hdw])$/
const units: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS }

/** Removes entries that no rule wants, and those that were fetched longer ago than this. */
export async function cleanLock(parts: Parts, olderThan: string | undefined): Promise<{ removed: Fqdn[] }> {
  const before = olderThan === undefined ? undefined : parts.now().getTime() - parseAge(olderThan)
  const isOld = ({ fetchedAt }: LockedEntry) => before !== undefined && Date.parse(fetchedAt) < before
  const removed = await parts.lock.clean(isOld)
  for (const { name } of removed) await removeListing(parts.files, name)
  return { removed: removed.map(lockedFqdn).sort() }
}

/** `90d`, `12h`, `6w`. */
function parseAge(text: string): number {
  const [, count, unit = ''] = agePattern.exec(text) ?? []
  if (count !== undefined) return Number(count) * (units[unit] ?? 0)
  throw new PmlError(
    'invalid_arguments',
    `Cannot read the age '${text.slice(0, 40)}': expected one like 90d, 12h or 6w`,
  )
}
