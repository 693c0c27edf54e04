import { serverWord } from '../../calls/server-shapes.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Stop a server and refuse all its calls until it is enabled again.

## Examples

\`\`\`json
{"name": "github"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) => z.object({ name: serverWord }),
  output: ({ z }) => z.object({ name: z.string(), enabled: z.boolean() }),
  run: async ({ client }, { name }) => {
    await (await (await client()).servers()).disable(name)
    return { name, enabled: false }
  },
})
