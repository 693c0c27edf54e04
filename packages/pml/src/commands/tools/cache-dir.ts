import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-cache-dir.ts'

export default defineOwn({
  name: 'cache_dir',
  description: 'Say where the cache is.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ path: z.string() }),
  run,
})
