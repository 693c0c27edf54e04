import { listHooks } from '../hooks/list-hooks.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run(context: OwnContext) {
  return { hooks: await listHooks(context) }
}
