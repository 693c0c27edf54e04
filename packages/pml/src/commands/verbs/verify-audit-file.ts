import { createReadStream } from 'node:fs'
import { IntegrityError, PmlError } from '@pml/core'
import {
  createAuditFileVerifier,
  type AuditHead,
  type AuditVerdict,
  type SignatureOptions,
} from '@pml/core/audit'
import { fileError } from '../../machine/files/file-error.ts'
import { splitLines } from '../../machine/split-lines.ts'

const LONGEST_LINE_BYTES = 16 * 1024 * 1024

/** Needs nothing but the file. Throws about everything that is wrong with it. */
export async function verifyAuditFile(
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
    `Cannot trust ${file}: expected an audit log as it was written, got one with ${count} ` +
      `${count === 1 ? 'problem' : 'problems'}:\n${[...listed, ...more].join('\n')}`,
    verdict,
  )
}
