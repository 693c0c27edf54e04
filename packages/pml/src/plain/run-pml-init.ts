import { parseSettings } from '../settings.ts'
import { initWorkspace } from '../verbs/init-workspace.ts'
import type { OwnContext } from '../own-tools.ts'

export async function run({ ops, workspace }: OwnContext) {
  const { registry } = parseSettings(ops.env)
  const { created, ...rest } = await initWorkspace(
    workspace ?? (ops.env['PML_WORKSPACE'] || ops.cwd),
    registry?.href,
  )
  return { ...rest, created: [...created] }
}
