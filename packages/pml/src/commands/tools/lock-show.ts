import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-lock-show.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'lock_show',
  description: 'Show the lockfile: every entry with its full integrity.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        fqdn,
        integrity: z.string(),
        fetchedAt: z.string(),
        type: z.string(),
        routing: z.string(),
      }),
    ),
  }),
  run,
})
