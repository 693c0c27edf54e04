import { suggestionList } from '@pml/core/schemas'
import { defineTool } from '@pml/tools'
import { z } from 'zod'
import { readSuggestions } from '../report/read-suggestions.ts'
import type { RegistryContext } from '../registry-tools.ts'

export default defineTool({
  name: 'pattern_suggest',
  effect: 'read',
  scope: 'approve',
  input: z.object({}),
  output: suggestionList,
  run: ({ registry: { learning }, actor }: RegistryContext) => readSuggestions(learning, actor),
})
