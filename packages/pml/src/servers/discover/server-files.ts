import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import { parseServerFile, type ParsedServerFile } from '@pml/core/local-servers'
import { decodeText } from '../../machine/files/decode-text.ts'
import { fileError } from '../../machine/files/file-error.ts'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { realPathIn, realPathOf } from '../../machine/files/real-path.ts'
import type { ServerPlace } from '../../workspace/server-places.ts'

/** Far more than anybody's servers. */
const LIMIT_BYTES = 1024 * 1024

/** The files of a place in the order of their names; none where there is no such folder. */
export async function listServerFiles({ path, kind, base }: ServerPlace): Promise<string[]> {
  if (kind === 'file' || (kind === 'either' && !(await isFolder(path)))) return [path]
  await findReal(path, base)
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw fileError('read', path, error)
  })
  return names
    .filter(isServerFile)
    .sort()
    .map((name) => join(path, name))
}

/** What begins with a dot is what editors and systems leave beside files. */
function isServerFile(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.')
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('read', path, error)
    throw new PmlError(
      'not_found',
      `Cannot read ${path}: expected a folder or a file, got nothing there; change PML_MCP_PATH, or make it`,
    )
  })
  return info.isDirectory()
}

export interface ServerFile extends ParsedServerFile {
  /** With links resolved. */
  readonly real: string
}

/** Undefined where there is none. Throws where there is something that is no file of text. */
export async function readServerFile(
  path: string,
  base: ServerPlace['base'],
): Promise<ServerFile | undefined> {
  const real = await findReal(path, base)
  const file = await readPlainFile(real, LIMIT_BYTES)
  return file && { real, ...parseServerFile(decodeText(file.bytes, path), path) }
}

async function findReal(path: string, base: ServerPlace['base']): Promise<string> {
  return base === undefined ? realPathOf(path) : realPathIn(base, path)
}
