import { changeList, changeQuery } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { listChanges } from '../changes/list-changes.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'approval_list',
  effect: 'read',
  scope: 'hook|approve',
  input: z.object({
    ...changeQuery.shape,
    limit: z.int().min(1).max(100).default(50).describe('How many changes at most'),
  }),
  output: changeList,
  run: ({ registry: { db }, actor }: RegistryContext, query) => listChanges(db, actor, query),
})
