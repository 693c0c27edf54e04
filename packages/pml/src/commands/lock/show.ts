import { lockedFqdn } from '@pml/core'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Show the lockfile: every entry with its full integrity.',
  effect: 'read',
  output: ({ z, fqdn }) =>
    z.object({
      path: z.string(),
      entries: z.array(
        z.object({
          fqdn,
          integrity: z.string(),
          fetchedAt: z.string(),
          type: z.string(),
          routing: z.string(),
        }),
      ),
    }),
  run: async ({ lockfile }) => {
    const { lock, files } = await lockfile()
    const entries = Array.from((await lock.read()).entries.values(), (entry) => ({
      fqdn: lockedFqdn(entry),
      integrity: entry.integrity,
      fetchedAt: entry.fetchedAt,
      type: entry.type,
      routing: entry.routing,
    }))
    return { path: files.lock, entries: entries.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1)) }
  },
})
