import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { serverWord } from '../../calls/server-shapes.ts'

export default defineOwn({
  name: 'server_enable',
  description: `Allow a server that was disabled, here and after every restart.

## Examples

\`\`\`json
{"name": "github"}
\`\`\`
`,
  cli: { category: 'mcp', name: 'enable' },
  effect: 'write',
  input: z.object({ name: serverWord }),
  output: z.object({ name: z.string(), enabled: z.boolean() }),
  run: async ({ client, person }, { name }) => {
    await person.prove({ by: 'terminal' }, { what: `enable ${name}`, command: `pml mcp enable ${name}` })
    await (await (await client()).servers()).enable(name)
    return { name, enabled: true }
  },
})
