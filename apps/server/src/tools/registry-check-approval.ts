import { PmlError } from '@pml/core'
import { changeContent, changePath, changeProject, checked, contentHash } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { checkApproval } from '../changes/check-approval.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'registry_check_approval',
  effect: 'read',
  scope: 'hook|approve',
  input: z.object({
    content_hash: contentHash.optional(),
    content: changeContent.optional(),
    path: changePath.optional(),
    project: changeProject.optional(),
  }),
  output: checked,
  run: ({ registry: { approvals }, actor }: RegistryContext, { content_hash: hash, content, ...place }) => {
    if (content !== undefined) return checkApproval(approvals, actor, { content, ...place })
    if (hash !== undefined) return checkApproval(approvals, actor, { contentHash: hash, ...place })
    const problem = 'expected content_hash or content'
    throw new PmlError('invalid_arguments', `Cannot check an approval: ${problem}`, {
      issues: [{ path: ['content_hash'], message: problem }],
    })
  },
})
