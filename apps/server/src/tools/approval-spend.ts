import { spending, spent } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { spendApproval } from '../changes/spend-approval.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'approval_spend',
  effect: 'destructive',
  scope: 'hook',
  input: spending,
  output: spent,
  run: ({ registry: { approvals }, actor }: RegistryContext, request) =>
    spendApproval(approvals, actor, request),
})
