import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-pml-doctor.ts'

export default defineOwn({
  name: 'pml_doctor',
  description: 'Look at everything that pml needs here, and say what is wrong and how to mend it.',
  cli: { word: 'doctor' },
  effect: 'read',
  input: z.object({}),
  output: z.object({
    isHealthy: z.boolean(),
    findings: z.array(z.object({ check: z.string(), isOk: z.boolean(), message: z.string() })),
  }),
  run,
})
