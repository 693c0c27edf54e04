import { fetchEntry } from '../../registry/fetch-entry.ts'
import { resolveReference } from '../../registry/resolve-reference.ts'
import { defineCommand } from '../command.ts'
import { showFetched } from '../show-fetched.ts'

export default defineCommand({
  description: `Fetch an entry, check its hash, and lock it.

Returns the verified content, or stops with a prompt if it is not what was locked.

## Examples

\`\`\`json
{"reference": "memory"}
\`\`\`

\`\`\`json
{"reference": "pml.std.string.slugify"}
\`\`\`
`,
  effect: 'write',
  input: ({ z, reference }) => z.object({ reference }),
  output: ({ approvable }) => approvable,
  run: async ({ client }, { reference: text }) => {
    const parts = await client()
    const found = await resolveReference(parts, text)
    return showFetched(await fetchEntry(parts, found, { operation: { kind: 'fetch', reference: text } }))
  },
})
