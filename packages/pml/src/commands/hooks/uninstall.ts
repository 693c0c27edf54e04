import { hookAgent, hookChange, hookScope, requireHooks } from '../../agents/hook-shapes.ts'
import { uninstallHooks } from '../../agents/install-hooks.ts'
import { defineCommand } from '../command.ts'
import { printSettingsChange } from '../print-settings-change.ts'

export default defineCommand({
  description: `Remove pml's hook from an agent's settings; shows the change first.

## Examples

\`\`\`json
{"agent": "claude"}
\`\`\`
`,
  effect: 'destructive',
  input: ({ z }) =>
    z.object({
      agent: hookAgent,
      scope: hookScope,
      dryRun: z.boolean().default(false).describe('Show the change and do not write it'),
      yes: z.boolean().default(false).describe('Do not ask'),
    }),
  output: () => hookChange,
  run: async (context, { agent: named, scope, dryRun, yes }) => {
    const agent = requireHooks(named)
    const command = `pml hooks uninstall --agent ${agent}`
    if (!dryRun) await context.person.prove({ by: 'terminal' }, { what: 'uninstall the hook', command })
    const request = { agent, scope, isDryRun: dryRun, isSure: yes }
    const { notes, ...change } = await uninstallHooks(context, request)
    return { ...change, notes: [...notes] }
  },
  print: printSettingsChange,
})
