import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { approvable, reference } from '../tool-shapes.ts'
import { fetchEntry } from '../../registry/fetch-entry.ts'
import { resolveReference } from '../../registry/resolve-reference.ts'
import { showFetched } from '../show-fetched.ts'

export default defineOwn({
  name: 'pml_fetch',
  description: `Fetch an entry, check its hash, and lock it.

Gives the verified content, or stops with an approval when it is not what was locked.

## Examples

\`\`\`json
{"reference": "memory"}
\`\`\`

\`\`\`json
{"reference": "pml.std.string.slugify"}
\`\`\`
`,
  cli: { word: 'fetch' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({ reference }),
  output: approvable,
  run: async ({ client }, { reference: text }) => {
    const parts = await client()
    const found = await resolveReference(parts, text)
    return showFetched(await fetchEntry(parts, found, { operation: { kind: 'fetch', reference: text } }))
  },
})
