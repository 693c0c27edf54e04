import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { parseName, PmlError } from '@pml/core'
import { fileError } from '../files/file-error.ts'
import { parseAnswer } from '../parse-answer.ts'
import type { Http } from '../registry/http.ts'

export interface Publication {
  readonly name: string
  /** TypeScript, or a metadata document when it ends in `.json`. */
  readonly file: string
  readonly description?: string | undefined
  readonly routing?: string | undefined
  readonly visibility?: string | undefined
}

/** Sends a file to the registry as the new release of a name. */
export async function publishEntry(
  http: Http,
  registry: URL,
  { name: text, file, ...facts }: Publication,
): Promise<Record<string, unknown>> {
  const name = parseName(text)
  const body = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new PmlError('invalid_arguments', `Cannot publish ${file}: there is no such file`)
    throw fileError('read', file, error)
  })
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
