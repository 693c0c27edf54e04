import { decide, lockedFqdn, toolNameOf } from '@pml/core'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'pml_list',
  description: 'List what this workspace has locked, and what its rules say about it.',
  cli: { word: 'list' },
  effect: 'read',
  input: z.object({}),
  output: z.object({
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
  run: async ({ client }) => {
    const { lock, config } = await client()
    const { permissions } = await config.read()
    const entries = [...(await lock.read()).entries.values()].map((entry) => ({
      fqdn: lockedFqdn(entry),
      type: entry.type,
      routing: entry.routing,
      rule: decide(permissions, toolNameOf(entry.name)),
      fetchedAt: entry.fetchedAt,
    }))
    return { entries: entries.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1)) }
  },
})
