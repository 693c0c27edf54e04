import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn, reference } from '../tool-shapes.ts'
import { removeEntry } from '../../calls/remove-entry.ts'

export default defineOwn({
  name: 'pml_remove',
  description: `Remove entries from this workspace: from the lockfile, and their own rules.

## Examples

\`\`\`json
{"references": ["memory"]}
\`\`\`
`,
  cli: { word: 'remove', rest: 'references' },
  effect: 'write',
  input: z.object({ references: z.array(reference).min(1).max(100) }),
  output: z.object({ removed: z.array(fqdn) }),
  run: async ({ client }, { references }) => {
    const parts = await client()
    const removed: string[] = []
    for (const text of references) removed.push((await removeEntry(parts, text)).fqdn)
    return { removed }
  },
})
