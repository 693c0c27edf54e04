import { approved, approval, changePath, changeProject, contentHash } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { approveChange } from '../changes/approve-change.ts'
import { findOpenChange } from '../changes/find-open-change.ts'
import type { RegistryContext } from '../registry-tools.ts'

const { approver, reason, pattern, ttlSeconds, agent, session, proof } = approval.shape

export default defineTool({
  name: 'registry_approve_change',
  effect: 'write',
  scope: 'approve',
  input: z.object({
    blocked_file: changePath,
    project: changeProject
      .optional()
      .describe('The project of the file; needed if it has open changes in several'),
    content_hash: contentHash,
    approver,
    reason,
    pattern,
    ttl_seconds: ttlSeconds,
    agent,
    session,
    proof,
  }),
  output: approved,
  run: async (
    { registry: { approvals }, actor }: RegistryContext,
    { blocked_file: path, project, content_hash: hash, ttl_seconds: seconds, ...request },
  ) => {
    const id = await findOpenChange(approvals.db, { path, project, contentHash: hash })
    return approveChange(approvals, actor, { id, request: { ...request, ttlSeconds: seconds } })
  },
})
