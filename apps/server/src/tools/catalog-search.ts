import { catalogPage, searchText } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import type { RegistryContext } from '../registry-tools.ts'
import { filters } from '../tool-parameters.ts'

export default defineTool({
  name: 'catalog_search',
  formerNames: ['mcp_search'],
  effect: 'read',
  input: z.object({
    query: searchText.describe('Words to look for in names, descriptions and tools'),
    ...filters,
    limit: z.int().min(1).max(100).default(20).describe('How many entries at most'),
  }),
  output: catalogPage.pick({ items: true, total: true, totalIsExact: true }),
  run: ({ registry: { pages }, actor, limit: { signal } }: RegistryContext, { query, ...filter }) =>
    pages.list({ ...filter, q: query, page: 1 }, actor, signal),
})
