import { decide, lockedFqdn, toolNameOf } from '@pml/core'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'List what this workspace has locked, and what its rules say about it.',
  effect: 'read',
  output: ({ z, fqdn }) =>
    z.object({
      entries: z.array(
        z.object({
          fqdn,
          type: z.string(),
          routing: z.string(),
          rule: z.enum(['deny', 'allow', 'ask']),
          fetchedAt: z.string(),
        }),
      ),
    }),
  run: async ({ lockfile }) => {
    const { lock, config } = await lockfile()
    const { permissions } = await config.read()
    const entries = Array.from((await lock.read()).entries.values(), (entry) => ({
      fqdn: lockedFqdn(entry),
      type: entry.type,
      routing: entry.routing,
      rule: decide(permissions, toolNameOf(entry.name)),
      fetchedAt: entry.fetchedAt,
    }))
    return { entries: entries.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1)) }
  },
})
