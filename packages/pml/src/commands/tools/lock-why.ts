import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn, reference } from '../tool-shapes.ts'
import { explainEntry } from '../verbs/explain-entry.ts'

const rules = z.array(z.string())

export default defineOwn({
  name: 'lock_why',
  description: `Say why an entry is locked: its content, since when, and which rules speak of it.

## Examples

\`\`\`json
{"name": "memory"}
\`\`\`
`,
  effect: 'read',
  input: z.object({ name: reference }),
  output: z.looseObject({
    fqdn,
    verdict: z.enum(['deny', 'allow', 'ask']),
    rules: z.object({ deny: rules, allow: rules, ask: rules }),
  }),
  run: async ({ client }, { name }) => explainEntry(await client(), name),
})
