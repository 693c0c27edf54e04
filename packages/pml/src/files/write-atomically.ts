import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileError } from './file-error.ts'

export interface WriteOptions {
  readonly mode: number
  /** Off for what can be made again: a crash of the whole machine may then leave the file empty. */
  readonly isDurable?: boolean
}

/**
 * Whoever reads, and whatever dies in between, finds the old file or the new one. A link at `path` is replaced, never
 * followed, and the file beside it that is written first has a name that nobody can foresee.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode, isDurable = true }: WriteOptions,
): Promise<void> {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    const file = await open(fresh, 'wx', mode)
    try {
      await file.writeFile(content)
      if (isDurable) await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, path)
    if (isDurable) await syncFolder(dirname(path))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw fileError('write', path, error)
  }
}

/** So that the new name survives too; systems that cannot sync a folder do without. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
