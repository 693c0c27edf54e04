import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-pml-outdated.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'pml_outdated',
  description: 'List locked entries for which the registry has another release now.',
  cli: { word: 'outdated' },
  effect: 'read',
  timeoutMs: 300_000,
  input: z.object({}),
  output: z.object({
    outdated: z.array(z.object({ locked: fqdn, current: fqdn.nullable().describe('Null: it was retired') })),
  }),
  run,
})
