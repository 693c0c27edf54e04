import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { examine } from '../verbs/examine.ts'

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
  run: async ({ client }) => {
    const parts = await client()
    const findings = await examine(parts, parts.http)
    return { isHealthy: findings.every(({ isOk }) => isOk), findings }
  },
})
