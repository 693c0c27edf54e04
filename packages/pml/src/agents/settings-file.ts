import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodeText, readPlainFile } from '../machine/files/read-plain-file.ts'
import { fileError } from '../machine/files/file-error.ts'
import { noteOwnWrite } from '../machine/files/own-writes.ts'
import { realPathIn } from '../machine/files/real-path.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'

/** Far more than any settings. */
const LIMIT_BYTES = 4 * 1024 * 1024
const NEW_FILE_MODE = 0o644

/** A settings file of an agent on disk. */
export interface SettingsFile {
  /** The path with links resolved. */
  readonly path: string
  /** Empty if there is no file. */
  readonly text: string
  /** Whether it is unchanged since it was read. */
  isAsRead(): Promise<boolean>
  /** Writes the text in one step; without text, removes the file. */
  write(text: string | undefined): Promise<void>
}

/** Follows links that stay in `base`: people keep their settings elsewhere in their home. */
export async function readSettingsFile({
  base,
  path,
}: {
  base: string
  path: string
}): Promise<SettingsFile> {
  const real = await realPathIn(base, path)
  const file = await readPlainFile(real, LIMIT_BYTES)
  return {
    path: real,
    text: file === undefined ? '' : decodeText(file.bytes, path),
    isAsRead: async () => {
      const now = await readPlainFile(real, LIMIT_BYTES)
      return file === undefined ? now === undefined : now?.bytes.equals(file.bytes) === true
    },
    write: async (text) => {
      if (text === undefined) {
        await noteOwnWrite(real, undefined)
        return rm(real, { force: true })
      }
      await mkdir(dirname(real), { recursive: true }).catch((error: unknown) => {
        throw fileError('write', real, error)
      })
      await writeAtomically(real, text, { mode: file?.mode ?? NEW_FILE_MODE, isGuard: true })
    },
  }
}
