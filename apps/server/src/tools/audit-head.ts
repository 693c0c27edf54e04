import { auditHeadAnswer } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { showHead } from '../audit/show-head.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'audit_head',
  effect: 'read',
  scope: 'approve',
  input: z.object({}),
  output: auditHeadAnswer,
  run: ({ registry: { db, audit }, actor }: RegistryContext) => showHead(db, audit.signer, actor),
})
