import { printable } from '@pml/tools/cli'
import { printProblem } from '../../servers/discover/discover-servers.ts'
import { validateServers } from '../../servers/discover/validate-servers.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
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
  cli: { rest: 'paths' },
  effect: 'read',
  input: ({ z }) =>
    z.object({
      paths: z.array(z.string().min(1)).max(1000).default([]).describe('Files, and folders of files'),
    }),
  output: ({ z }) =>
    z.object({
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
  /** A line for each problem and each warning, then their number. */
  print: ({ places, files, problems, warnings }) => {
    const told = [...problems.map(printProblem), ...warnings.map((warning) => `warning: ${warning}`)]
    const lines =
      files.length === 0
        ? ['No files that describe servers', 'Looked for in:', ...places.map((place) => `  ${place}`)]
        : [
            `${countOf(files, 'file')}, ${problems.length === 0 ? 'no problems' : countOf(problems, 'problem')}`,
          ]
    return `${[...told, ...lines].map(printable).join('\n')}\n`
  },
})

function countOf({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`
}
