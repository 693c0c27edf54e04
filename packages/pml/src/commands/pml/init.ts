import { parseSettings } from '../../machine/settings.ts'
import { findOperator, realFolder } from '../../workspace/open-workspace.ts'
import { openWorkspaceConfig } from '../../workspace/workspace-config-file.ts'
import { workspaceFilesOf } from '../../workspace/workspace-files.ts'
import { openWorkspaceTrust } from '../../workspace/workspace-trust.ts'
import { agreeHere } from '../agree-here.ts'
import { defineCommand } from '../command.ts'
import { initWorkspace } from '../init-workspace.ts'

export default defineCommand({
  description: 'Set up a workspace in this folder: .pml.json, .pml/ and rules for it in .gitignore.',
  effect: 'write',
  output: ({ z }) => z.object({ workspace: z.string(), created: z.array(z.string()) }),
  run: async (context) => {
    const { ops, workspace } = context
    const settings = parseSettings(ops.env)
    const files = workspaceFilesOf(await realFolder(workspace ?? (ops.env['PML_WORKSPACE'] || ops.cwd)))
    const trust = openWorkspaceTrust(files, { ...ops, ...(await findOperator(ops, settings)) })
    const { created, ...rest } = await initWorkspace(files.root, { registry: settings.registry?.href, trust })
    if (!created.includes('.pml.json')) {
      const config = openWorkspaceConfig(files.config, trust)
      await agreeHere(context, { config, trust, isSure: false, isOptional: true })
    }
    return { ...rest, created: [...created] }
  },
})
