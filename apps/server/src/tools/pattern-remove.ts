import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { removePattern } from '../patterns/remove-pattern.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'pattern_remove',
  effect: 'destructive',
  scope: 'pattern',
  input: z.object({
    id: z.string().min(1).max(64).describe('The id of a pattern, as pattern_list shows it'),
  }),
  output: z.object({ id: z.string() }),
  run: ({ registry: { approvals }, actor }: RegistryContext, { id }) => removePattern(approvals, actor, id),
})
