import { z } from 'zod'
import { listCached } from '../cache/list-cached.ts'
import { defineOwn } from '../own-tool.ts'

export default defineOwn({
  name: 'cache_size',
  description: 'Say how much the cache holds, and how much it may.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ items: z.int(), sizeBytes: z.int(), limitBytes: z.int() }),
  run: async ({ client }) => {
    const { folders, settings, ops } = await client()
    const cached = await listCached(folders, ops.now().getTime())
    const sizeBytes = cached.reduce((sum, one) => sum + one.sizeBytes, 0)
    return { items: cached.length, sizeBytes, limitBytes: settings.cacheBytes }
  },
})
