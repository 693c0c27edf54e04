import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodeText, readPlainFile } from '../machine/files/read-plain-file.ts'
import { fileError } from '../machine/files/file-error.ts'
import { noteOwnWrite } from '../machine/files/own-writes.ts'
import { realPathIn } from '../machine/files/real-path.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'

/** Far more than anybody's settings. */
const LIMIT_BYTES = 4 * 1024 * 1024
const NEW_FILE_MODE = 0o644

/** A settings file of an agent as it is on disk. */
export interface SettingsFile {
  /** Where it really is. */
  readonly path: string
  /** Empty where there is none. */
  readonly text: string
  /** Nobody has changed it since. */
  isAsRead(): Promise<boolean>
  /** Undefined takes the file away. Whoever reads in between finds the old text or the new one. */
  write(text: string | undefined): Promise<void>
}

/** Links are followed as far as they stay in `base`: people keep their settings elsewhere in their home. */
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
