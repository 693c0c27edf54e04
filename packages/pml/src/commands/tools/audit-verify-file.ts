import { resolve } from 'node:path'
import { parseAuditHead, parseLogKey } from '@pml/core/audit'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { openLogKeys } from '../log-keys.ts'
import { verifyAuditFile } from '../verbs/verify-audit-file.ts'

const finding = z.object({ seq: z.int().nullable(), problem: z.string() })

export default defineOwn({
  name: 'audit_verify_file',
  description: `Verify an exported audit log, with no registry and no network: every row, their order and their end.

## Examples

\`\`\`json
{"file": "audit.jsonl"}
\`\`\`
`,
  effect: 'read',
  timeoutMs: 590_000,
  input: z.object({
    file: z.string().min(1).describe('What pml audit export wrote'),
    head: z
      .string()
      .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'expected <seq>:<64 hex characters>')
      .optional()
      .describe('A head from an earlier time, as seq:hash'),
    key: z
      .string()
      .max(400)
      .optional()
      .describe('The public key it must be signed with; without it, the one remembered from the registry'),
    allowUnsigned: z
      .boolean()
      .optional()
      .describe('Accept what is not signed, or signed with a key that is not pinned'),
  }),
  output: z.object({
    ok: z.boolean(),
    rows: z.int(),
    firstSeq: z.int().nullable(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    warnings: z.array(finding),
    signedBy: z.string().nullable(),
  }),
  run: async ({ ops, signal }, { file, head, key, allowUnsigned }) => {
    if (key !== undefined) parseLogKey(key)
    const knownKeys = key === undefined ? [...(await openLogKeys(ops).read()).values()] : []
    const expectedHead = head === undefined ? undefined : parseAuditHead(head)
    const {
      ok,
      rows,
      firstSeq,
      head: end,
      warnings,
      signedBy,
    } = await verifyAuditFile(resolve(ops.cwd, file), {
      expectedHead,
      key,
      knownKeys,
      allowUnsigned,
      signal,
    })
    return { ok, rows, firstSeq, head: end, warnings: [...warnings], signedBy }
  },
})
