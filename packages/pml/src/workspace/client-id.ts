import { randomUUID } from 'node:crypto'
import { link, rm, writeFile } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import { fileError } from '../machine/files/file-error.ts'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

const LIMIT_BYTES = 1024

/** The id of this workspace, which its prompts are bound to. The first process that needs it creates it. */
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

/** Refuses anything but an id: two empty files would count as the same workspace. */
function parseId(text: string, path: string): string {
  if (/^[0-9a-f-]{36}$/.test(text)) return text
  const fix = 'remove it; open prompts have to be asked again'
  throw new PmlError('invalid_config', `Cannot read ${path}: expected an id that pml wrote; ${fix}`)
}
