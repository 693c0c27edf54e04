import { extname } from 'node:path'
import { parseName } from '@pml/core'
import { readGivenFile } from '../../machine/files/read-plain-file.ts'
import { parseAnswer } from '../../registry/parse-answer.ts'
import type { Http } from '../../registry/http.ts'

export interface Publication {
  readonly name: string
  /** TypeScript, or a metadata document when it ends in `.json`. */
  readonly file: string
  readonly description?: string | undefined
  readonly routing?: string | undefined
  readonly visibility?: string | undefined
}

/** The most that a registry takes. */
const LIMIT_BYTES = 1024 * 1024

/** Sends a file to the registry as the new release of a name. */
export async function publishEntry(
  http: Http,
  registry: URL,
  { name: text, file, ...facts }: Publication,
): Promise<Record<string, unknown>> {
  const name = parseName(text)
  const body = readGivenFile('publish', file, LIMIT_BYTES)
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(facts)) if (value !== undefined) query.set(key, value)
  const type = extname(file) === '.json' ? 'application/json' : 'application/typescript'
  const path = `mcp/${name}${query.size > 0 ? `?${query.toString()}` : ''}`
  const { status, bytes } = await http.send(path, { method: 'PUT', body, headers: { 'content-type': type } })
  return parseAnswer(
    { isOk: status === 200 || status === 201, status, text: bytes.toString('utf8') },
    registry,
  )
}
