import { join } from 'node:path'
import { REPLY_MS, reloadGateways } from '../../gateway/gateway-files.ts'
import { stateHomeOf } from '../../machine/ops.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Reload the files of servers here and in every "pml serve" of this workspace.

Gateways watch the files by themselves; this waits until they have seen them.`,
  effect: 'write',
  output: ({ z }) =>
    z.object({
      servers: z.int().describe('How many there are'),
      problems: z.int(),
      gateways: z.array(z.object({ pid: z.int(), reloaded: z.int().nullable() })),
    }),
  run: async ({ client, ops, signal }) => {
    const parts = await client()
    const servers = await parts.servers()
    const gateways = await reloadGateways(join(stateHomeOf(ops.env, ops.platform), 'gateways'), {
      workspace: parts.files.root,
      kill: ops.kill,
      signal,
      replyMs: REPLY_MS,
    })
    return {
      servers: servers.list().length,
      problems: servers.problems.length,
      gateways: gateways.map(({ pid, reloaded }) => ({ pid, reloaded: reloaded ?? null })),
    }
  },
})
