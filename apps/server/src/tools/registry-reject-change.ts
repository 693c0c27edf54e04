import { changePath, changeProject, contentHash, rejected, rejection } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { findOpenChange } from '../changes/find-open-change.ts'
import { rejectChange } from '../changes/reject-change.ts'
import type { RegistryContext } from '../registry-tools.ts'

const { approver, reason, education, suggestion, proof } = rejection.shape

export default defineTool({
  name: 'registry_reject_change',
  effect: 'write',
  scope: 'approve',
  input: z.object({
    blocked_file: changePath,
    project: changeProject
      .optional()
      .describe('The project of the file; needed if it has open changes in several'),
    content_hash: contentHash.optional(),
    rejector: approver,
    reason,
    education,
    suggestion,
    proof,
  }),
  output: rejected,
  run: async (
    { registry: { approvals }, actor }: RegistryContext,
    { blocked_file: path, project, content_hash: hash, rejector, ...request },
  ) => {
    const id = await findOpenChange(approvals.db, { path, project, contentHash: hash })
    return rejectChange(approvals, actor, { id, request: { ...request, approver: rejector } })
  },
})
