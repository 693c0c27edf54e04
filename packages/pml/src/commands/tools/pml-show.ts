import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn, reference } from '../tool-shapes.ts'
import { showEntry } from '../show-entry.ts'

const argument = z.object({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
})

export default defineOwn({
  // The registry's tool catalog_show is another: it knows nothing of this machine.
  name: 'pml_show',
  cli: { category: 'catalog', name: 'show' },
  description: `Show what an entry of the registry runs, what it needs, and its tools with their arguments.

Nothing is locked and nothing is started.

## Examples

\`\`\`json
{ "name": "memory" }
\`\`\`

\`\`\`json
{ "name": "pml.std.string.slugify" }
\`\`\`
`,
  effect: 'read',
  timeoutMs: 60_000,
  input: z.object({ name: reference }),
  output: z.object({
    fqdn,
    type: z.string(),
    routing: z.string(),
    description: z.string(),
    locked: z.boolean().describe('Whether this very release is locked here'),
    runs: z.string().describe('What happens on this machine when it is used'),
    needs: z.array(z.object({ variable: z.string(), isSet: z.boolean() })),
    keepsDataIn: z.string().nullable(),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        arguments: z.array(argument).nullable().describe('Null where nobody has written them down'),
      }),
    ),
  }),
  run: async ({ client }, { name }) => {
    const { needs, tools, ...rest } = await showEntry(await client(), name)
    return {
      ...rest,
      needs: [...needs],
      tools: tools.map((tool) => ({ ...tool, arguments: tool.arguments && [...tool.arguments] })),
    }
  },
})
