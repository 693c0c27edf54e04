import { serverWord } from '../../calls/server-shapes.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Allow a disabled server again.

## Examples

\`\`\`json
{"name": "github"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) => z.object({ name: serverWord }),
  output: ({ z }) => z.object({ name: z.string(), enabled: z.boolean() }),
  run: async ({ client, person }, { name }) => {
    await person.prove({ by: 'terminal' }, { what: `enable ${name}`, command: `pml mcp enable ${name}` })
    await (await (await client()).servers()).enable(name)
    return { name, enabled: true }
  },
})
