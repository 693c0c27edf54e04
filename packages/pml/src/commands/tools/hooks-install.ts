import { z } from 'zod'
import { installHooks } from '../../agents/install-hooks.ts'
import { defineOwn } from '../own-tool.ts'
import { httpAgents } from '../../agents/hook-files.ts'
import { hookAgent, hookChange, hookScope, requireHooks } from '../../agents/hook-shapes.ts'

export default defineOwn({
  name: 'hooks_install',
  description: `Put pml into an agent's settings, so that it judges what the agent does; shows the change first.

## Examples

\`\`\`json
{"agent": "claude"}
\`\`\`

\`\`\`json
{"agent": "codex", "scope": "user", "dryRun": true}
\`\`\`
`,
  effect: 'write',
  input: z.object({
    agent: hookAgent,
    scope: hookScope,
    http: z
      .boolean()
      .default(false)
      .describe(`The registry judges (${httpAgents().join(' and ')})`),
    dryRun: z.boolean().default(false).describe('Show the change without writing it'),
    yes: z.boolean().default(false).describe('Do not ask'),
  }),
  output: hookChange,
  run: async (context, { agent, scope, http, dryRun, yes }) => {
    const request = { agent: requireHooks(agent), scope, isHttp: http, isDryRun: dryRun, isSure: yes }
    const { notes, ...change } = await installHooks(context, request)
    return { ...change, notes: [...notes] }
  },
})
