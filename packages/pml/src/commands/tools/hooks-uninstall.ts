import { z } from 'zod'
import { uninstallHooks } from '../../agents/install-hooks.ts'
import { defineOwn } from '../own-tool.ts'
import { hookAgent, hookChange, hookScope, requireHooks } from '../../agents/hook-shapes.ts'

export default defineOwn({
  name: 'hooks_uninstall',
  description: `Take pml out of an agent's settings, and nothing else; shows the change first.

## Examples

\`\`\`json
{"agent": "claude"}
\`\`\`
`,
  effect: 'destructive',
  input: z.object({
    agent: hookAgent,
    scope: hookScope,
    dryRun: z.boolean().default(false).describe('Show the change without writing it'),
    yes: z.boolean().default(false).describe('Do not ask'),
  }),
  output: hookChange,
  run: async (context, { agent: named, scope, dryRun, yes }) => {
    const agent = requireHooks(named)
    const command = `pml hooks uninstall --agent ${agent}`
    if (!dryRun) await context.person.prove({ by: 'terminal' }, { what: 'uninstall the hook', command })
    const { notes, ...change } = await uninstallHooks(context, {
      agent,
      scope,
      isDryRun: dryRun,
      isSure: yes,
    })
    return { ...change, notes: [...notes] }
  },
})
