import { shownChange } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { showChange } from '../approvals/show-change.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { changeId } from '../tool-parameters.ts'

export default defineTool({
  name: 'approval_show',
  effect: 'read',
  scope: 'hook|approve',
  input: z.object({ id: changeId }),
  output: shownChange,
  run: ({ registry: { approvals }, actor }: RegistryContext, { id }) => showChange(approvals, actor, id),
})
