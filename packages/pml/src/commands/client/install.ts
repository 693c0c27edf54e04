import { clientOptions } from '../../agents/client-shapes.ts'
import { hookChange } from '../../agents/hook-shapes.ts'
import { installClient } from '../../agents/install-client.ts'
import { defineCommand } from '../command.ts'
import { printSettingsChange } from '../print-settings-change.ts'

export default defineCommand({
  description: `Add the gateway (pml serve) to a client's MCP servers; shows the change first.

## Examples

\`\`\`json
{"client": "claude"}
\`\`\`
`,
  effect: 'write',
  input: () => clientOptions,
  output: () => hookChange,
  run: async (context, { client, scope, dryRun, yes }) => {
    const request = { client, scope, isDryRun: dryRun, isSure: yes }
    const { notes, ...change } = await installClient(context, request)
    return { ...change, notes: [...notes] }
  },
  print: printSettingsChange,
})
