import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-pml-sync.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'pml_sync',
  description: 'Fetch everything that is locked, exactly as it is locked, and what an allow rule names.',
  cli: { word: 'sync' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({}),
  output: z.object({ fetched: z.int(), cached: z.int(), added: z.array(fqdn) }),
  run,
})
