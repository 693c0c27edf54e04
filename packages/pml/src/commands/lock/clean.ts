import { lockedFqdn, PmlError, type LockedEntry } from '@pml/core'
import { removeListing } from '../../servers/listing/keep-listing.ts'
import { defineCommand } from '../command.ts'

const DAY_MS = 86_400_000
const agePattern = /^(\d{1,5})([hdw])$/
const units: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS }

export default defineCommand({
  description: `Remove entries from the lockfile that no rule covers, and old ones.

## Examples

\`\`\`json
{ "olderThan": "90d" }
\`\`\``,
  effect: 'write',
  input: ({ z }) =>
    z.object({
      olderThan: z.string().max(10).optional().describe('Age since it was fetched: 90d, 12h, 6w'),
    }),
  output: ({ z, fqdn }) => z.object({ removed: z.array(fqdn) }),
  run: async ({ client }, { olderThan }) => {
    const { lock, files, now } = await client()
    const before = olderThan === undefined ? undefined : now().getTime() - parseAge(olderThan)
    const isOld = ({ fetchedAt }: LockedEntry) => before !== undefined && Date.parse(fetchedAt) < before
    const removed = await lock.clean(isOld)
    for (const { name } of removed) await removeListing(files, name)
    return { removed: removed.map(lockedFqdn).sort() }
  },
})

/** Parses `90d`, `12h` or `6w` to milliseconds. */
function parseAge(text: string): number {
  const [, count, unit = ''] = agePattern.exec(text) ?? []
  if (count !== undefined) return Number(count) * (units[unit] ?? 0)
  throw new PmlError(
    'invalid_arguments',
    `Cannot read the age '${text.slice(0, 40)}': expected one like 90d, 12h or 6w`,
  )
}
