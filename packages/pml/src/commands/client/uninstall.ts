import { clientOptions } from '../../agents/client-shapes.ts'
import { hookChange } from '../../agents/hook-shapes.ts'
import { uninstallClient } from '../../agents/install-client.ts'
import { defineCommand } from '../command.ts'
import { printSettingsChange } from '../print-settings-change.ts'

export default defineCommand({
  description: `Remove the gateway (pml serve) from a client's MCP servers; shows the change first.

## Examples

\`\`\`json
{"client": "claude"}
\`\`\`
`,
  effect: 'destructive',
  input: () => clientOptions,
  output: () => hookChange,
  run: async (context, { client, scope, dryRun, yes }) => {
    const command = `pml client uninstall --client ${client}`
    if (!dryRun) await context.person.prove({ by: 'terminal' }, { what: 'uninstall the gateway', command })
    const request = { client, scope, isDryRun: dryRun, isSure: yes }
    const { notes, ...change } = await uninstallClient(context, request)
    return { ...change, notes: [...notes] }
  },
  print: printSettingsChange,
})
