import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { parseSettings } from '../settings.ts'
import { initWorkspace } from '../verbs/init-workspace.ts'

export default defineOwn({
  name: 'pml_init',
  description: 'Begin a workspace in this folder: .pml.json, .pml/ and what git ignores of it.',
  cli: { word: 'init' },
  effect: 'write',
  input: z.object({}),
  output: z.object({ workspace: z.string(), created: z.array(z.string()) }),
  run: async ({ ops, workspace }) => {
    const { registry } = parseSettings(ops.env)
    const { created, ...rest } = await initWorkspace(
      workspace ?? (ops.env['PML_WORKSPACE'] || ops.cwd),
      registry?.href,
    )
    return { ...rest, created: [...created] }
  },
})
