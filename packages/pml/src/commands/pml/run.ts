import { limitsOf } from '../../calls/call-parts.ts'
import { callTool } from '../../calls/call-tool.ts'
import { defineCommand } from '../command.ts'
import { printResult } from '../print-result.ts'

export default defineCommand({
  description: `Run a tool if it matches the lockfile and the rules allow it.

Modules run in Deno with the permissions that they declare and the workspace grants. Servers start from their pinned tree and are called by MCP.

## Examples

\`\`\`json
{"tool": "filesystem:list_directory", "arguments": {"path": "."}}
\`\`\`

\`\`\`json
{"tool": "pml.std.string.slugify", "arguments": {"text": "Hello, world"}}
\`\`\`
`,
  cli: { input: 'arguments' },
  effect: 'destructive',
  input: ({ z }) =>
    z.object({
      tool: z.string().min(1).max(400).describe('namespace:action, or the name of an entry that is one tool'),
      arguments: z.record(z.string(), z.unknown()).default({}).describe('What the tool gets'),
      timeoutMs: z.int().min(1).max(580_000).default(60_000).describe('Longest time that it may take'),
      memoryMb: z.int().min(16).max(65_536).default(512).describe('Most memory that code may use'),
    }),
  output: ({ approvable }) => approvable,
  run: async ({ client, signal }, { tool, arguments: args, ...limits }) => {
    const request = { tool, args, ...limitsOf({ ...limits, signal }) }
    return { ...(await callTool(await client(), request)) }
  },
  print: printResult,
})
