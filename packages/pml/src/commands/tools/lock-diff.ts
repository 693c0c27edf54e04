import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { fqdn } from '../tool-shapes.ts'
import { diffLock } from '../verbs/diff-lock.ts'

const entry = z.object({ fqdn, integrity: z.string() })

export default defineOwn({
  name: 'lock_diff',
  description: `Compare the lockfile with another one, such as that of another branch: what came, went and changed.

## Examples

\`\`\`json
{"file": "main.lock"}
\`\`\`
`,
  effect: 'read',
  input: z.object({
    file: z.string().min(1).describe('The lockfile to compare with, which counts as the older'),
  }),
  output: z.object({
    added: z.array(entry),
    removed: z.array(entry),
    changed: z.array(z.object({ before: entry, after: entry })),
  }),
  run: async ({ ops, lockfile }, { file }) => diffLock(await lockfile(), { cwd: ops.cwd, file }),
})
