import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'
import { findOutdated } from '../verbs/find-outdated.ts'

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
  run: async ({ client }) => {
    const found = await findOutdated(await client())
    return { outdated: found.map(({ locked, current }) => ({ locked, current })) }
  },
})
