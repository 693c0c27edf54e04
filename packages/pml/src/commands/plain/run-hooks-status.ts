import { join } from 'node:path'
import { openEventQueue } from '../../guard/event-queue.ts'
import { listHooks } from '../../agents/list-hooks.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run(context: OwnContext) {
  const queue = openEventQueue(join(context.ops.cacheHome, 'hooks', 'queue'))
  return { hooks: await listHooks(context), events: queue.count() }
}
