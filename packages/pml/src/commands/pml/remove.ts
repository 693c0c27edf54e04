import { removeEntry } from '../../calls/remove-entry.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Remove entries from this workspace: from the lockfile, and their own rules.

## Examples

\`\`\`json
{"references": ["memory"]}
\`\`\`
`,
  cli: { rest: 'references' },
  effect: 'write',
  input: ({ z, reference }) => z.object({ references: z.array(reference).min(1).max(100) }),
  output: ({ z, fqdn }) => z.object({ removed: z.array(fqdn) }),
  run: async ({ client }, { references }) => {
    const parts = await client()
    const removed: string[] = []
    for (const text of references) removed.push((await removeEntry(parts, text)).fqdn)
    return { removed }
  },
})
