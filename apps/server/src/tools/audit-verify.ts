import { parseAuditHead, parseLogKey } from '@pml/core/audit'
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
      .describe('An earlier head, as seq:hash'),
    key: z.string().max(400).optional().describe('The public key the log must be signed with; see audit_key'),
    allowUnsigned: z
      .boolean()
      .optional()
      .describe('Accept a checkpoint without a signature, from before the log was signed'),
  }),
  output: auditVerdict,
  run: async ({ registry: { db, audit }, actor, limit }: RegistryContext, { head, key, allowUnsigned }) => {
    const expectedHead = head === undefined ? undefined : parseAuditHead(head)
    if (key !== undefined) parseLogKey(key)
    const request = { expectedHead, key, allowUnsigned, signal: limit.signal }
    const verdict = await verifyLog({ db, signer: audit.signer }, actor, request)
    return { ...verdict, problems: [...verdict.problems], warnings: [...verdict.warnings] }
  },
})
