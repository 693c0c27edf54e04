import { registryFile } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { exportRegistry } from '../changes/export-registry.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'registry_export',
  effect: 'write',
  scope: 'approve',
  input: z.object({}),
  output: registryFile,
  run: ({ registry: { db }, actor }: RegistryContext) => exportRegistry(db, actor),
})
