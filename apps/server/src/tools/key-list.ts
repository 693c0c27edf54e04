import { keyList } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { listKeys } from '../keys/list-keys.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'key_list',
  effect: 'read',
  scope: 'admin',
  input: z.object({}),
  output: keyList,
  run: ({ registry: { db }, actor }: RegistryContext) => listKeys(db, actor),
})
