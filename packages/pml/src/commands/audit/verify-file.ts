import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { IntegrityError, PmlError } from '@pml/core'
import {
  createAuditFileVerifier,
  parseAuditHead,
  parseLogKey,
  type AuditHead,
  type AuditVerdict,
  type SignatureOptions,
} from '@pml/core/audit'
import { splitLines } from '@pml/core/split-lines'
import { fileError } from '../../machine/files/file-error.ts'
import { defineCommand } from '../command.ts'
import { openLogKeys } from '../log-keys.ts'

const LONGEST_LINE_BYTES = 16 * 1024 * 1024

export default defineCommand({
  description: `Verify an exported audit log, with no registry and no network: every row, their order and their end.

## Examples

\`\`\`json
{"file": "audit.jsonl"}
\`\`\`
`,
  effect: 'read',
  input: ({ z }) =>
    z.object({
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
  output: ({ z }) =>
    z.object({
      ok: z.boolean(),
      rows: z.int(),
      firstSeq: z.int().nullable(),
      head: z.object({ seq: z.int(), hash: z.string() }),
      warnings: z.array(z.object({ seq: z.int().nullable(), problem: z.string() })),
      signedBy: z.string().nullable(),
    }),
  run: async ({ ops, signal }, { file, head, key, allowUnsigned }) => {
    if (key !== undefined) parseLogKey(key)
    const knownKeys = key === undefined ? [...(await openLogKeys(ops).read()).values()] : []
    const expectedHead = head === undefined ? undefined : parseAuditHead(head)
    const options = { expectedHead, key, knownKeys, allowUnsigned, signal }
    const verdict = await verifyAuditFile(resolve(ops.cwd, file), options)
    return { ...verdict, warnings: [...verdict.warnings] }
  },
})

/** Needs only the file. Throws an error that lists every problem of it. */
async function verifyAuditFile(
  file: string,
  { signal, ...options }: SignatureOptions & { expectedHead: AuditHead | undefined; signal: AbortSignal },
): Promise<AuditVerdict> {
  const verifier = createAuditFileVerifier(options)
  const lines = splitLines({
    limitBytes: LONGEST_LINE_BYTES,
    onLine: (line) => verifier.line(line.toString('utf8')),
    onLongLine: () => verifier.badLine(`expected at most ${LONGEST_LINE_BYTES} bytes`),
  })
  try {
    for await (const piece of createReadStream(file, { signal })) lines.push(piece as Buffer)
  } catch (error) {
    throw unreadable(file, error)
  }
  lines.end()
  const verdict = verifier.finish()
  if (!verdict.ok) throw untrusted(file, verdict)
  return verdict
}

function unreadable(file: string, error: unknown): unknown {
  const { code, name } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return new PmlError('cancelled', `Cannot verify ${file}: it was interrupted`)
  if (code === 'ENOENT')
    return new PmlError('invalid_arguments', `Cannot verify ${file}: there is no such file`)
  return code === undefined ? error : fileError('read', file, error)
}

function untrusted(file: string, { ok: _ok, ...verdict }: AuditVerdict): IntegrityError {
  const { problems, problemsLeftOut } = verdict
  const listed = problems.map(({ seq, problem }) => (seq === null ? problem : `row ${seq}: ${problem}`))
  const more = problemsLeftOut > 0 ? [`and ${problemsLeftOut} more`] : []
  const count = problems.length + problemsLeftOut
  return new IntegrityError(
    'integrity_mismatch',
    `Cannot trust ${file}: expected an unchanged audit log, got one with ${count} ` +
      `${count === 1 ? 'problem' : 'problems'}:\n${[...listed, ...more].join('\n')}`,
    verdict,
  )
}
