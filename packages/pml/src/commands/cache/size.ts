import { listCached } from '../../calls/cache/list-cached.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Show the size of the cache, and its limit.',
  effect: 'read',
  output: ({ z }) => z.object({ items: z.int(), sizeBytes: z.int(), limitBytes: z.int() }),
  run: async ({ client }) => {
    const { folders, settings, ops } = await client()
    const cached = await listCached(folders, ops.now().getTime())
    const sizeBytes = cached.reduce((sum, one) => sum + one.sizeBytes, 0)
    return { items: cached.length, sizeBytes, limitBytes: settings.cacheBytes }
  },
})
