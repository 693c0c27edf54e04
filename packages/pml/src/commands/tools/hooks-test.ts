import { resolve } from 'node:path'
import { z } from 'zod'
import { tryPolicy } from '../../guard/try-policy.ts'
import { defineOwn } from '../own-tool.ts'
import { findWorkspace } from '../../workspace/workspace-files.ts'

export default defineOwn({
  name: 'hooks_test',
  description: `Run the examples of every rule that hooks go by here: those that must match and those that must not.

## Examples

\`\`\`json
{}
\`\`\`

\`\`\`json
{"file": "policy.json"}
\`\`\`
`,
  effect: 'read',
  input: z.object({
    file: z.string().min(1).optional().describe('A policy in place of .pml/enforcement.json'),
  }),
  output: z.object({
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
