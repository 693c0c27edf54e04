import { syncEntries } from '../verbs/sync-entries.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client, onProgress }: OwnContext) {
  const { added, ...counts } = await syncEntries(await client(), onProgress)
  return { ...counts, added: [...added] }
}
