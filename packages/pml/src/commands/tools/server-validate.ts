import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { validateServers } from '../../servers/discover/validate-servers.ts'

export default defineOwn({
  name: 'server_validate',
  description: `Check files that describe local MCP servers, and name every problem with its place.

Without paths, all that servers are taken from: .pml/mcp and .mcp.json of the project, the folder mcp of this user's
configuration, and PML_MCP_PATH.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{"paths": [".pml/mcp"]}
\`\`\`
`,
  cli: { category: 'mcp', name: 'validate', rest: 'paths' },
  effect: 'read',
  input: z.object({
    paths: z.array(z.string().min(1)).max(1000).default([]).describe('Files, and folders of files'),
  }),
  output: z.object({
    ok: z.boolean(),
    places: z.array(z.string()).describe('Where files were looked for'),
    files: z.array(z.string()).describe('Those that are there'),
    problems: z.array(
      z.object({
        file: z.string(),
        line: z.int(),
        column: z.int(),
        path: z.string().describe('Such as mcpServers.github.args[2]'),
        message: z.string(),
        name: z.literal('ErrInvalidJSON').optional().describe('The text is no JSON at all'),
      }),
    ),
    warnings: z
      .array(z.string())
      .describe('Servers that another file hides, and secrets in files of the project'),
  }),
  run: async (context, { paths }) => {
    const { ok, places, files, problems, warnings } = await validateServers(context, paths)
    return { ok, places: [...places], files: [...files], problems: [...problems], warnings: [...warnings] }
  },
})
