import { resolve } from 'node:path'
import { PmlError } from '@pml/core'
import { parseAuditLine, type AuditHead, type LogKeyStep } from '@pml/core/audit'
import { writeAtomically } from '../../machine/files/write-atomically.ts'
import type { Http } from '../../registry/http.ts'
import { defineCommand } from '../command.ts'
import { openLogKeys } from '../log-keys.ts'

/** Readable by its owner only, because the log says who did what. */
const MODE = 0o600
/** Enough bytes for the last line. */
const TAIL_BYTES = 1024
const LONGEST_FIRST_LINE_BYTES = 64 * 1024

export default defineCommand({
  description: `Export the registry's audit log to a file that can be verified without the registry.

## Examples

\`\`\`json
{"file": "audit.jsonl"}
\`\`\`
`,
  effect: 'write',
  input: ({ z }) => z.object({ file: z.string().min(1).describe('Where to; it is replaced if it is there') }),
  output: ({ z }) =>
    z.object({
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

interface ExportOptions {
  readonly file: string
  readonly signal: AbortSignal
  /** Gets the keys of the log. If it throws, the file stays unchanged. */
  readonly onKeys: (keys: readonly LogKeyStep[]) => Promise<void>
}

interface ExportedAudit {
  readonly rows: number
  readonly head: AuditHead
  readonly sizeBytes: number
}

/** Writes the registry's audit log to a file, completely or not at all. */
async function exportAudit(http: Http, { file, signal, onKeys }: ExportOptions): Promise<ExportedAudit> {
  let exported: ExportedAudit | undefined

  async function* whole(): AsyncGenerator<Uint8Array> {
    let [first, tail] = [Buffer.alloc(0), Buffer.alloc(0)]
    let sizeBytes = 0
    for await (const piece of http.stream('audit/export', signal)) {
      if (!first.includes('\n')) {
        first = Buffer.concat([first, piece]).subarray(0, LONGEST_FIRST_LINE_BYTES)
        if (first.includes('\n')) await onKeys(keysIn(first.toString('utf8')))
      }
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

function keysIn(text: string): readonly LogKeyStep[] {
  try {
    const line = parseAuditLine(text.slice(0, text.indexOf('\n')))
    if (line.kind === 'header') return line.keys
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
  }
  throw cutOff()
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
    'Cannot export the audit log: the response ends before its last line; run it again',
  )
}
