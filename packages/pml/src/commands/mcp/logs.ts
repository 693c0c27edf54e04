import { printable } from '@pml/tools/cli'
import { serverWord } from '../../calls/server-shapes.ts'
import { stateHomeOf } from '../../machine/ops.ts'
import { readServerLog, serverLogFile } from '../../servers/supervise/server-log.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Show what a server wrote to stderr, and when it started and ended.

## Examples

\`\`\`json
{"name": "github", "lines": 20}
\`\`\`
`,
  effect: 'read',
  input: ({ z }) =>
    z.object({
      name: serverWord,
      lines: z.int().min(1).max(10_000).default(100).describe('How many of the last lines'),
    }),
  output: ({ z }) => z.object({ file: z.string(), lines: z.array(z.string()) }),
  run: async ({ client, ops }, { name, lines }) => {
    const { name: known } = (await (await client()).servers()).get(name)
    const file = serverLogFile(stateHomeOf(ops.env, ops.platform), known)
    return { file, lines: await readServerLog(file, { lines }) }
  },
  print: ({ lines }) => lines.map((line) => `${printable(line)}\n`).join(''),
})
