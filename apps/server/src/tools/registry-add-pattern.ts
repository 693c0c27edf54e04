import { newPattern, patternAdded, patternKind } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { addPattern } from '../patterns/add-pattern.ts'
import type { RegistryContext } from '../registry-tools.ts'

const { type, pattern, approver, reason, example } = newPattern.shape

export default defineTool({
  name: 'registry_add_pattern',
  effect: 'write',
  scope: 'pattern',
  input: z.object({
    pattern_type: type,
    pattern,
    approver,
    reason,
    example,
    kind: patternKind.default('approve').describe('Whether matching content is approved or blocked'),
  }),
  output: patternAdded,
  run: ({ registry: { approvals }, actor }: RegistryContext, { pattern_type: type, ...request }) =>
    addPattern(approvals, actor, { ...request, type }),
})
