import { resolve } from 'node:path'
import { parseAuditHead } from '@pml/core/audit'
import { z } from 'zod'
import { defineOwn } from '../own-tool.ts'
import { verifyAuditFile } from '../verbs/verify-audit-file.ts'

const finding = z.object({ seq: z.int().nullable(), problem: z.string() })

export default defineOwn({
  name: 'audit_verify_file',
  description:
    'Verify an exported audit log, with no registry and no network: every row, their order and their end.',
  effect: 'read',
  timeoutMs: 590_000,
  input: z.object({
    file: z.string().min(1).describe('What pml audit export wrote'),
    head: z
      .string()
      .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'expected <seq>:<64 hex characters>')
      .optional()
      .describe('A head from an earlier time, as seq:hash'),
  }),
  output: z.object({
    ok: z.boolean(),
    rows: z.int(),
    firstSeq: z.int().nullable(),
    head: z.object({ seq: z.int(), hash: z.string() }),
    warnings: z.array(finding),
  }),
  run: async ({ ops, signal }, { file, head }) => {
    const expectedHead = head === undefined ? undefined : parseAuditHead(head)
    const {
      ok,
      rows,
      firstSeq,
      head: end,
      warnings,
    } = await verifyAuditFile(resolve(ops.cwd, file), {
      expectedHead,
      signal,
    })
    return { ok, rows, firstSeq, head: end, warnings: [...warnings] }
  },
})
