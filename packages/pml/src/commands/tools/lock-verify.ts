import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-lock-verify.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'lock_verify',
  description: 'Read the lockfile and hash the content of every entry in it, cached or fetched.',
  effect: 'read',
  timeoutMs: 590_000,
  input: z.object({}),
  output: z.object({ entries: z.int(), verified: z.int(), unknown: z.array(fqdn) }),
  run,
})
