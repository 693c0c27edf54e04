import { approved, approval, changePath, contentHash } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { approveChange } from '../approvals/approve-change.ts'
import { findOpenChange } from '../approvals/find-open-change.ts'
import type { RegistryContext } from '../registry-tools.ts'

const { approver, reason, pattern, ttlSeconds, agent, session } = approval.shape

export default defineTool({
  name: 'registry_approve_change',
  effect: 'write',
  scope: 'approve',
  input: z.object({
    blocked_file: changePath,
    content_hash: contentHash,
    approver,
    reason,
    pattern,
    ttl_seconds: ttlSeconds,
    agent,
    session,
  }),
  output: approved,
  run: async (
    { registry: { approvals }, actor }: RegistryContext,
    { blocked_file: path, content_hash: hash, ttl_seconds: seconds, ...wish },
  ) => {
    const id = await findOpenChange(approvals.db, { path, contentHash: hash })
    return approveChange(approvals, actor, { id, wish: { ...wish, ttlSeconds: seconds } })
  },
})
