import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-cache-clean.ts'

export default defineOwn({
  name: 'cache_clean',
  description: 'Empty the cache; what is locked is fetched again when it is used.',
  effect: 'write',
  timeoutMs: 300_000,
  input: z.object({}),
  output: z.object({
    items: z.int(),
    sizeBytes: z.int(),
    kept: z.array(z.string()).describe('Copies of what servers wrote into their trees'),
  }),
  run,
})
