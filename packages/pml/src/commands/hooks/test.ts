import { resolve } from 'node:path'
import { tryPolicy } from '../../guard/try-policy.ts'
import { findWorkspace } from '../../workspace/workspace-files.ts'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description: `Run the examples of every rule that hooks apply here: those that must match and those that must not.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{"file": "policy.json"}
\`\`\`
`,
  effect: 'read',
  input: ({ z }) =>
    z.object({
      file: z.string().min(1).optional().describe('A policy in place of .pml/enforcement.json'),
    }),
  output: ({ z }) =>
    z.object({
      ok: z.boolean(),
      policy: z.string().describe('Where the policy comes from'),
      rules: z.int(),
      examples: z.int(),
      failed: z.array(z.object({ rule: z.string(), expected: z.string(), example: z.string() })),
      untried: z.array(z.string()).describe('Rules without examples'),
    }),
  run: async ({ ops, workspace }, { file }) =>
    tryPolicy(workspace ?? (await findWorkspace(ops.cwd)), {
      defaults: new URL('./hook/enforcement.json', import.meta.url),
      ...(file === undefined ? {} : { file: resolve(ops.cwd, file) }),
    }),
})
