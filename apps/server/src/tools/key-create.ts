import { keyCreated, newKey } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { createKey } from '../keys/create-key.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'key_create',
  effect: 'write',
  scope: 'admin',
  input: newKey,
  output: keyCreated,
  run: ({ registry: { db }, actor }: RegistryContext, request) => createKey(db, actor, async () => request),
})
