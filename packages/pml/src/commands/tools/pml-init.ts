import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-pml-init.ts'

export default defineOwn({
  name: 'pml_init',
  description: 'Begin a workspace in this folder: .pml.json, .pml/ and what git ignores of it.',
  cli: { word: 'init' },
  effect: 'write',
  input: z.object({}),
  output: z.object({ workspace: z.string(), created: z.array(z.string()) }),
  run,
})
