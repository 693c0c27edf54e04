import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { publishEntry } from '../verbs/publish-entry.ts'

export default defineOwn({
  name: 'pml_publish',
  description: `Publish a file as the new release of a name: TypeScript, or a document that ends in .json.

## Examples

\`\`\`json
{"name": "acme.tools.text.shout", "file": "shout.ts"}
\`\`\`
`,
  cli: { word: 'publish' },
  effect: 'write',
  timeoutMs: 120_000,
  input: z.object({
    name: z.string().describe('org.project.namespace.action'),
    file: z.string().min(1),
    description: z.string().max(2000).optional(),
    routing: z.enum(['client', 'server']).optional(),
    visibility: z.enum(['public', 'private']).optional(),
  }),
  output: z.looseObject({ fqdn: z.string(), integrity: z.string(), created: z.boolean() }),
  run: async ({ client }, publication) => {
    const { http, registry } = await client()
    return (await publishEntry(http, registry.registry, publication)) as {
      fqdn: string
      integrity: string
      created: boolean
    }
  },
})
