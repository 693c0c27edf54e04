import { readGivenFile } from '../../machine/files/read-plain-file.ts'
import type { Http } from '../../registry/http.ts'
import { readAnswer } from '../../registry/parse-answer.ts'

interface Imported {
  readonly [member: string]: unknown
  readonly approvals: Record<string, unknown>
  readonly patterns: Record<string, unknown>
  readonly auditEvents: number
}

/** The most that a registry takes. */
const LIMIT_BYTES = 16 * 1024 * 1024

/** What is wrong with its content, the registry says. */
export async function importRegistryFile(http: Http, registry: URL, file: string): Promise<Imported> {
  const body = readGivenFile('import', file, LIMIT_BYTES)
  const answer = await readAnswer(http, registry, {
    path: 'approvals/import',
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  return answer as Imported
}
