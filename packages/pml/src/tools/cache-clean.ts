import { z } from 'zod'
import { sweepCache } from '../cache/sweep-cache.ts'
import { defineOwn } from '../own-tool.ts'

export default defineOwn({
  name: 'cache_clean',
  description: 'Empty the cache; what is locked is fetched again when it is used.',
  effect: 'write',
  timeoutMs: 300_000,
  input: z.object({}),
  output: z.object({ items: z.int(), sizeBytes: z.int() }),
  run: async ({ client }) => {
    const { folders, ops } = await client()
    const removed = await sweepCache(folders, { limitBytes: 0, now: ops.now().getTime(), keepRunning: false })
    return { items: removed.length, sizeBytes: removed.reduce((sum, one) => sum + one.sizeBytes, 0) }
  },
})
