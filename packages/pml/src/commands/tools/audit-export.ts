import { resolve } from 'node:path'
import type { LogKeyStep } from '@pml/core/audit'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { exportAudit } from '../verbs/export-audit.ts'
import { openLogKeys } from '../log-keys.ts'

export default defineOwn({
  name: 'audit_export',
  description: `Write the audit log of the registry into a file, to be verified without it.

## Examples

\`\`\`json
{"file": "audit.jsonl"}
\`\`\`
`,
  effect: 'write',
  timeoutMs: 590_000,
  input: z.object({ file: z.string().min(1).describe('Where to; it is replaced if it is there') }),
  output: z.object({
    file: z.string(),
    rows: z.int(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    sizeBytes: z.int(),
  }),
  run: async ({ client, ops, signal }, { file: given }) => {
    const { http, registry } = await client()
    const file = resolve(ops.cwd, given)
    const onKeys = (keys: readonly LogKeyStep[]) => openLogKeys(ops).pin(registry.registry, keys)
    return { file, ...(await exportAudit(http, { file, signal, onKeys })) }
  },
})
