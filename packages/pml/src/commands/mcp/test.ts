import { limitsOf } from '../../calls/call-parts.ts'
import { openServer } from '../../calls/open-server.ts'
import { serverWord } from '../../calls/server-shapes.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Start a server, initialize it, ping it, and compare it with what is locked.

If it differs from what is locked, the difference is shown and a person is asked. No tool is called.

## Examples

\`\`\`json
{"name": "memory"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) => z.object({ name: serverWord }),
  output: ({ approvable }) => approvable,
  run: async ({ client, signal }, { name }) => ({
    ...(await openServer(await client(), { server: name, limits: limitsOf({ signal }) })),
  }),
})
