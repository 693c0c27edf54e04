import { z } from 'zod'
import { limitsOf } from '../../calls/call-parts.ts'
import { defineOwn } from '../own-tool.ts'
import { serverWord } from '../../calls/server-shapes.ts'
import { approvable } from '../tool-shapes.ts'
import { openServer } from '../../calls/open-server.ts'

export default defineOwn({
  name: 'server_test',
  description: `Start a server, greet it, ask whether it answers, and compare it with what is locked.

What is not what was locked is shown, and a person is asked. No tool is called.

## Examples

\`\`\`json
{"name": "memory"}
\`\`\`
`,
  cli: { category: 'mcp', name: 'test' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({ name: serverWord }),
  output: approvable,
  run: async ({ client, signal }, { name }) => ({
    ...(await openServer(await client(), { server: name, limits: limitsOf({ signal }) })),
  }),
})
