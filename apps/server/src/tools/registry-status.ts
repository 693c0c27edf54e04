import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { readinessFor } from '../readiness.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'registry_status',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    status: z.enum(['ready', 'not ready']),
    checks: z.object({ database: z.string(), migrations: z.string(), config: z.string() }),
  }),
  run: async ({ registry: { readiness }, actor }: RegistryContext) => readinessFor(actor, await readiness()),
})
