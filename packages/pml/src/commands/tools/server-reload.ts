import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { run } from '../plain/run-server-reload.ts'

export default defineOwn({
  name: 'server_reload',
  description: `Read the files of servers again, and have every "pml serve" of this workspace do so.

Gateways watch the files by themselves; this waits until they have seen them.`,
  cli: { category: 'mcp', name: 'reload' },
  effect: 'write',
  input: z.object({}),
  output: z.object({
    servers: z.int().describe('How many there are'),
    problems: z.int(),
    gateways: z.array(z.object({ pid: z.int(), reloaded: z.int().nullable() })),
  }),
  run,
})
