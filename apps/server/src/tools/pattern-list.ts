import { patternList } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { listPatterns } from '../patterns/list-patterns.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'pattern_list',
  effect: 'read',
  scope: 'hook|approve|pattern',
  input: z.object({}),
  output: patternList,
  run: ({ registry: { db }, actor }: RegistryContext) => listPatterns(db, actor),
})
