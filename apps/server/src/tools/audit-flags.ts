import { flagList } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { readFlags } from '../report/read-flags.ts'
import type { RegistryContext } from '../registry-tools.ts'
import { days } from '../tool-parameters.ts'

export default defineTool({
  name: 'audit_flags',
  effect: 'read',
  scope: 'approve',
  input: z.object({ days }),
  output: flagList,
  run: ({ registry: { db }, actor }: RegistryContext, request) => readFlags(db, actor, request),
})
