import { auditHeadAnswer } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { showHead } from '../audit/read-head.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'audit_head',
  effect: 'read',
  scope: 'approve',
  input: z.object({}),
  output: auditHeadAnswer,
  run: ({ registry: { db }, actor }: RegistryContext) => showHead(db, actor),
})
