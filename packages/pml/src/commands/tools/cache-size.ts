import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-cache-size.ts'

export default defineOwn({
  name: 'cache_size',
  description: 'Say how much the cache holds, and how much it may.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ items: z.int(), sizeBytes: z.int(), limitBytes: z.int() }),
  run,
})
