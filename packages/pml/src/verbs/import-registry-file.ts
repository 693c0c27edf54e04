import { readFile } from 'node:fs/promises'
import { fileError } from '../files/file-error.ts'
import type { Http } from '../registry/http.ts'
import { readAnswer } from '../registry/read-answer.ts'

interface Imported {
  readonly [member: string]: unknown
  readonly approvals: Record<string, unknown>
  readonly patterns: Record<string, unknown>
  readonly auditEvents: number
}

/** What is wrong with the file, the registry says. */
export async function importRegistryFile(http: Http, registry: URL, file: string): Promise<Imported> {
  const body = await readFile(file).catch((error: unknown) => {
    throw fileError('read', file, error)
  })
  const answer = await readAnswer(http, registry, {
    path: 'approvals/import',
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  return answer as Imported
}
