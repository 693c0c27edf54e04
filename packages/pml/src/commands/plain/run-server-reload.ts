import { join } from 'node:path'
import { REPLY_MS, reloadGateways } from '../../gateway/gateway-files.ts'
import { stateHomeOf } from '../../machine/ops.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ client, ops, signal }: OwnContext) {
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
}
