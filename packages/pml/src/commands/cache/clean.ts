import { sweepCache } from '../../calls/cache/sweep-cache.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Empty the cache; locked content is fetched again on use.',
  effect: 'write',
  output: ({ z }) =>
    z.object({
      items: z.int(),
      sizeBytes: z.int(),
      kept: z.array(z.string()).describe('Copies of what servers wrote into their trees'),
    }),
  run: async ({ client }) => {
    const { folders, keepIn, ops } = await client()
    const now = ops.now().getTime()
    const { removed, kept } = await sweepCache(folders, { limitBytes: 0, now, keepRunning: false, keepIn })
    for (const file of kept) ops.tell(`Kept ${file}: a server wrote it into a tree that was removed`)
    return {
      items: removed.length,
      sizeBytes: removed.reduce((sum, one) => sum + one.sizeBytes, 0),
      kept: [...kept],
    }
  },
})
