import { agentNames } from '@pml/hooks'
import { z } from 'zod'
import { scopes } from './agent-settings.ts'

export const hookAgent = z.enum(agentNames).describe('The coding agent')

export const hookScope = z
  .enum(scopes)
  .default('project')
  .describe('The settings of this project, or of this user')

/** A change of an agent's settings. */
export const hookChange = z.object({
  file: z.string(),
  result: z.enum(['written', 'removed', 'unchanged', 'declined', 'not written']),
  diff: z.string(),
  notes: z.array(z.string()),
})
