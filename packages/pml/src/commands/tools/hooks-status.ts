import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-hooks-status.ts'

export default defineOwn({
  name: 'hooks_status',
  description: 'Show for each agent, of this project and of this user, whether pml is in its settings.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    hooks: z.array(
      z.object({
        agent: z.string(),
        scope: z.string(),
        state: z.enum(['installed', 'not installed', 'differs', 'command missing', 'unreadable']),
        file: z.string(),
        advice: z.string(),
      }),
    ),
    events: z.object({
      waiting: z.int().describe('That the registry has not heard of yet'),
      refused: z.int().describe('That it does not take, or that are damaged'),
    }),
  }),
  run,
})
