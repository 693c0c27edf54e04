import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'
import { syncEntries } from '../verbs/sync-entries.ts'

export default defineOwn({
  name: 'pml_sync',
  description: 'Fetch everything that is locked, exactly as it is locked, and what an allow rule names.',
  cli: { word: 'sync' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({}),
  output: z.object({ fetched: z.int(), cached: z.int(), added: z.array(fqdn) }),
  run: async ({ client, onProgress }) => {
    const { added, ...counts } = await syncEntries(await client(), onProgress)
    return { ...counts, added: [...added] }
  },
})
