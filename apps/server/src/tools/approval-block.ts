import { blockedChange, newChange } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { blockChange } from '../changes/block-change.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'approval_block',
  effect: 'write',
  scope: 'hook',
  input: newChange,
  output: blockedChange,
  run: async ({ registry: { approvals }, actor }: RegistryContext, request) => {
    const { isNew: _, ...blocked } = await blockChange(approvals, actor, request)
    return blocked
  },
})
