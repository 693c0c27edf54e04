import { lockedFqdn } from '@pml/core'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'lock_show',
  description: 'Show the lockfile: every entry with its full integrity.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
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
  run: async ({ client }) => {
    const { lock, files } = await client()
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
