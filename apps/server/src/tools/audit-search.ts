import { auditFilters, auditPage } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { searchAudit } from '../audit/search-audit.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'audit_search',
  effect: 'read',
  scope: 'approve',
  input: z.object({
    ...auditFilters,
    limit: z.int().min(1).max(100).default(50).describe('How many events at most'),
  }),
  output: auditPage,
  run: ({ registry: { db }, actor }: RegistryContext, query) => searchAudit(db, actor, query),
})
