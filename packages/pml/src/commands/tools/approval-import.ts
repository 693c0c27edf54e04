import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { importRegistryFile } from '../verbs/import-registry-file.ts'

export default defineOwn({
  name: 'approval_import',
  description: `Bring a registry file of hooks into the registry: what is still good in it, and its log.

## Examples

\`\`\`json
{"file": "approvals.json"}
\`\`\`
`,
  effect: 'write',
  timeoutMs: 120_000,
  input: z.object({ file: z.string().min(1) }),
  output: z.looseObject({ approvals: z.looseObject({}), patterns: z.looseObject({}), auditEvents: z.int() }),
  run: async ({ client }, { file }) => {
    const { http, registry } = await client()
    return importRegistryFile(http, registry.registry, file)
  },
})
