import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { approvable, reference } from '../tool-shapes.ts'
import { updateEntries } from '../verbs/update-entries.ts'

export default defineOwn({
  name: 'pml_update',
  description: `Ask about every locked entry that has changed in the registry.

Each change is an approval of its own; nothing changes before it is answered.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{"references": ["memory"]}
\`\`\`
`,
  cli: { word: 'update', rest: 'references' },
  effect: 'write',
  timeoutMs: 300_000,
  input: z.object({ references: z.array(reference).max(1000).default([]).describe('All without any') }),
  output: approvable,
  run: async ({ client }, { references }) => ({ ...(await updateEntries(await client(), references)) }),
})
