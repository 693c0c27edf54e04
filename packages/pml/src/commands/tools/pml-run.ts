import { z } from 'zod'
import { callTool } from '../../calls/call-tool.ts'
import { defineOwn } from '../own-tool.ts'
import { limitsOf } from '../../calls/call-parts.ts'
import { approvable } from '../tool-shapes.ts'

export default defineOwn({
  name: 'pml_run',
  description: `Run a tool: verified, permitted, and in the way that its type asks for.

Code runs in Deno with what it declares and the workspace grants, servers from their pinned tree, by MCP.

## Examples

\`\`\`json
{"tool": "filesystem:list_directory", "arguments": {"path": "."}}
\`\`\`

\`\`\`json
{"tool": "pml.std.string.slugify", "arguments": {"text": "Hello, world"}}
\`\`\`
`,
  cli: { word: 'run', input: 'arguments' },
  effect: 'destructive',
  timeoutMs: 590_000,
  input: z.object({
    tool: z.string().min(1).max(400).describe('namespace:action, or the name of an entry that is one tool'),
    arguments: z.record(z.string(), z.unknown()).default({}).describe('What the tool gets'),
    timeoutMs: z.int().min(1).max(580_000).default(60_000).describe('Longest time that it may take'),
    memoryMb: z.int().min(16).max(65_536).default(512).describe('Most memory that code may use'),
  }),
  output: approvable,
  run: async ({ client, signal }, { tool, arguments: args, ...limits }) => {
    const request = { tool, args, ...limitsOf({ ...limits, signal }) }
    return { ...(await callTool(await client(), request)) }
  },
})
