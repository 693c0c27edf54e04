import { listCached } from '../../calls/cache/list-cached.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client }: OwnContext) {
  const { folders, settings, ops } = await client()
  const cached = await listCached(folders, ops.now().getTime())
  const sizeBytes = cached.reduce((sum, one) => sum + one.sizeBytes, 0)
  return { items: cached.length, sizeBytes, limitBytes: settings.cacheBytes }
}
