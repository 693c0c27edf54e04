import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { keepRegistryFile } from '../verbs/keep-registry-file.ts'

export default defineOwn({
  name: 'approval_export',
  description: `Write approvals, patterns and decisions to a registry file of hooks; the last ten are kept.

## Examples

\`\`\`json
{"file": "approvals.json"}
\`\`\`
`,
  effect: 'write',
  timeoutMs: 120_000,
  input: z.object({ file: z.string().min(1).describe('Such as ~/.claude/hooks/lib/traced-registry.json') }),
  output: z.object({ file: z.string(), approvals: z.int(), patterns: z.int(), kept: z.int() }),
  run: async ({ client }, { file }) => {
    const { http, registry } = await client()
    return keepRegistryFile(http, registry.registry, file)
  },
})
