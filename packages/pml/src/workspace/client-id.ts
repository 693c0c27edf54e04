import { randomUUID } from 'node:crypto'
import { link, rm, writeFile } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import { fileError } from '../machine/files/file-error.ts'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

const LIMIT_BYTES = 1024

/** What this workspace is called by itself: made once, by whichever process comes first, and bound to its questions. */
export async function clientIdOf({
  state,
  clientId,
}: Pick<WorkspaceFiles, 'state' | 'clientId'>): Promise<string> {
  const known = await readPlainFile(clientId, LIMIT_BYTES)
  if (known) return parseId(known.bytes.toString('utf8').trim(), clientId)
  await requireFolder(state)
  const fresh = `${clientId}.${randomUUID()}.tmp`
  try {
    await writeFile(fresh, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' })
    await link(fresh, clientId).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    throw fileError('write', clientId, error)
  } finally {
    await rm(fresh, { force: true })
  }
  return clientIdOf({ state, clientId })
}

/** An empty one would be equal to any other empty one. */
function parseId(text: string, path: string): string {
  if (/^[0-9a-f-]{36}$/.test(text)) return text
  const fix = 'remove it; questions that are not answered yet have to be asked again'
  throw new PmlError('invalid_config', `Cannot read ${path}: expected an id that pml wrote; ${fix}`)
}
