import { sweepCache } from '../../calls/cache/sweep-cache.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const { folders, keepIn, ops } = await client()
  const now = ops.now().getTime()
  const { removed, kept } = await sweepCache(folders, { limitBytes: 0, now, keepRunning: false, keepIn })
  for (const file of kept) ops.tell(`Kept ${file}: a server had written it into a tree that was removed`)
  return {
    items: removed.length,
    sizeBytes: removed.reduce((sum, one) => sum + one.sizeBytes, 0),
    kept: [...kept],
  }
}
