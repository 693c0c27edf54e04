import { join } from 'node:path'
import { listHooks } from '../../agents/list-hooks.ts'
import { openEventQueue } from '../../guard/event-queue.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: 'Show for each agent whether its project and user settings have the hook of pml.',
  effect: 'read',
  output: ({ z }) =>
    z.object({
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
        waiting: z.int().describe('Not yet sent to the registry'),
        refused: z.int().describe('Refused by the registry, or damaged'),
      }),
    }),
  run: async (context) => {
    const queue = openEventQueue(join(context.ops.cacheHome, 'hooks', 'queue'))
    return { hooks: await listHooks(context), events: queue.count() }
  },
})
