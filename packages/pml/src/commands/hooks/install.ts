import { httpAgents } from '../../agents/hook-files.ts'
import { hookAgent, hookChange, hookScope, requireHooks } from '../../agents/hook-shapes.ts'
import { installHooks } from '../../agents/install-hooks.ts'
import { defineCommand } from '../command.ts'
import { printSettingsChange } from '../print-settings-change.ts'

export default defineCommand({
  description: `Install pml's hook in an agent's settings; shows the change first.

## Examples

\`\`\`json
{"agent": "claude"}
\`\`\`

\`\`\`json
{"agent": "codex", "scope": "user", "dryRun": true}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) =>
    z.object({
      agent: hookAgent,
      scope: hookScope,
      http: z
        .boolean()
        .default(false)
        .describe(`The registry judges (${httpAgents().join(' and ')})`),
      dryRun: z.boolean().default(false).describe('Show the change and do not write it'),
      yes: z.boolean().default(false).describe('Do not ask'),
    }),
  output: () => hookChange,
  run: async (context, { agent, scope, http, dryRun, yes }) => {
    const request = { agent: requireHooks(agent), scope, isHttp: http, isDryRun: dryRun, isSure: yes }
    const { notes, ...change } = await installHooks(context, request)
    return { ...change, notes: [...notes] }
  },
  print: printSettingsChange,
})
