import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-pml-list.ts'
import { fqdn } from '../tool-shapes.ts'

export default defineOwn({
  name: 'pml_list',
  description: 'List what this workspace has locked, and what its rules say about it.',
  cli: { word: 'list' },
  effect: 'read',
  input: z.object({}),
  output: z.object({
    entries: z.array(
      z.object({
        fqdn,
        type: z.string(),
        routing: z.string(),
        rule: z.enum(['deny', 'allow', 'ask']),
        fetchedAt: z.string(),
      }),
    ),
  }),
  run,
})
