import { z } from 'zod'
import { listCached } from '../cache/sweep-cache.ts'
import { defineOwn } from '../own-tool.ts'

export default defineOwn({
  name: 'cache_size',
  description: 'Say how much the cache holds, and how much it may.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ items: z.int(), sizeBytes: z.int(), limitBytes: z.int() }),
  run: async ({ client }) => {
    const { folders, settings } = await client()
    const cached = await listCached(folders)
    const sizeBytes = cached.reduce((sum, one) => sum + one.sizeBytes, 0)
    return { items: cached.length, sizeBytes, limitBytes: settings.cacheBytes }
  },
})
