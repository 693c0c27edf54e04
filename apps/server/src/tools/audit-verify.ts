import { parseAuditHead } from '@pml/core/audit'
import { auditVerdict } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { verifyLog } from '../audit/verify-log.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'audit_verify',
  effect: 'read',
  scope: 'approve',
  timeoutMs: 590_000,
  input: z.object({
    head: z
      .string()
      .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'expected <seq>:<64 hex characters>')
      .optional()
      .describe('A head from an earlier time, as seq:hash'),
  }),
  output: auditVerdict,
  run: async ({ registry: { db }, actor, limit }: RegistryContext, { head }) => {
    const expectedHead = head === undefined ? undefined : parseAuditHead(head)
    const verdict = await verifyLog(db, actor, { expectedHead, signal: limit.signal })
    return { ...verdict, problems: [...verdict.problems], warnings: [...verdict.warnings] }
  },
})
