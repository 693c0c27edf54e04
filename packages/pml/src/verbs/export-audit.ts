import { PmlError } from '@pml/core'
import { parseAuditLine, type AuditHead } from '@pml/core/audit'
import { writeAtomically } from '../files/write-atomically.ts'
import type { Http } from '../registry/http.ts'

export interface ExportedAudit {
  readonly rows: number
  readonly head: AuditHead
  readonly sizeBytes: number
}

/** For its owner only: it tells who did what. */
const MODE = 0o600
/** More than the last line has. */
const TAIL_BYTES = 1024

/** Writes the registry's audit log into a file, all of it or nothing. */
export async function exportAudit(
  http: Http,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<ExportedAudit> {
  let exported: ExportedAudit | undefined

  async function* whole(): AsyncGenerator<Uint8Array> {
    let tail = Buffer.alloc(0)
    let sizeBytes = 0
    for await (const piece of http.stream('audit/export', signal)) {
      tail = Buffer.concat([tail, piece]).subarray(-TAIL_BYTES)
      sizeBytes += piece.length
      yield piece
    }
    exported = { ...lastLineIn(tail.toString('utf8')), sizeBytes }
  }

  await writeAtomically(file, whole(), { mode: MODE })
  if (!exported) throw cutOff()
  return exported
}

function lastLineIn(tail: string): { rows: number; head: AuditHead } {
  const [, text = ''] = /(?:^|\n)([^\n]+)\n$/.exec(tail) ?? []
  try {
    const line = parseAuditLine(text)
    if (line.kind === 'end') return { rows: line.rows, head: line.head }
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
  }
  throw cutOff()
}

function cutOff(): PmlError {
  return new PmlError(
    'unavailable',
    'Cannot export the audit log: the answer ends before its last line; run it again',
  )
}
