import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { serverInfo } from '../../calls/server-shapes.ts'
import { listServers } from '../verbs/list-servers.ts'

export default defineOwn({
  name: 'server_list',
  description: `Start the servers that files describe and those that are locked, and show how they are.

With --watch they are kept running and shown until Ctrl-C; files that come later count too.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{ "watch": true }
\`\`\`
`,
  cli: { category: 'mcp', name: 'list' },
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({ watch: z.boolean().default(false).describe('Go on, and show every change') }),
  output: z.object({
    servers: z.array(serverInfo),
    places: z.array(z.string()).describe('Where files are looked for, first things first'),
    problems: z.array(z.string()),
  }),
  run: listServers,
})
