import { sweepCache } from '../cache/sweep-cache.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const { folders, ops } = await client()
  const removed = await sweepCache(folders, { limitBytes: 0, now: ops.now().getTime(), keepRunning: false })
  return { items: removed.length, sizeBytes: removed.reduce((sum, one) => sum + one.sizeBytes, 0) }
}
