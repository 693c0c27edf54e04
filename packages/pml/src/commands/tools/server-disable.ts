import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { serverWord } from '../../calls/server-shapes.ts'

export default defineOwn({
  name: 'server_disable',
  description: `Refuse all calls of a server, here and after every restart, and end it where it runs.

## Examples

\`\`\`json
{"name": "github"}
\`\`\`
`,
  cli: { category: 'mcp', name: 'disable' },
  effect: 'write',
  input: z.object({ name: serverWord }),
  output: z.object({ name: z.string(), enabled: z.boolean() }),
  run: async ({ client }, { name }) => {
    await (await (await client()).servers()).disable(name)
    return { name, enabled: false }
  },
})
