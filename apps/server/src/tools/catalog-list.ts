import { catalogPage } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import type { RegistryContext } from '../registry-tools.ts'
import { filters } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_list',
  formerNames: ['mcp_list'],
  effect: 'read',
  input: z.object({
    ...filters,
    limit: z.int().min(1).max(100).default(50).describe('How many entries at most'),
    cursor: z.string().min(1).max(400).optional().describe('nextCursor of the previous response'),
  }),
  output: catalogPage,
  run: ({ registry: { pages }, actor, limit: { signal } }: RegistryContext, filter) =>
    pages.list({ ...filter, page: 1 }, actor, signal),
})
