import { lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { dirname, join, relative, isAbsolute, basename } from 'node:path'
import { PmlError } from '@pml/core'
import { fileError } from '../files/file-error.ts'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'

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
  const real = await realPathOf(path)
  const away = relative(await realPathOf(base), real)
  if (away === '' || away.startsWith('..') || isAbsolute(away)) {
    throw new PmlError(
      'file_failed',
      `Cannot use ${path}: it is a symbolic link that leads out of ${base}; replace it by what it leads to`,
    )
  }
  const file = await readPlainFile(real, LIMIT_BYTES)
  return {
    path: real,
    text: file === undefined ? '' : decode(file.bytes, path),
    isAsRead: async () => {
      const now = await readPlainFile(real, LIMIT_BYTES)
      return file === undefined ? now === undefined : now?.bytes.equals(file.bytes) === true
    },
    write: async (text) => {
      if (text === undefined) return rm(real, { force: true })
      await mkdir(dirname(real), { recursive: true }).catch((error: unknown) => {
        throw fileError('write', real, error)
      })
      await writeAtomically(real, text, { mode: file?.mode ?? NEW_FILE_MODE })
    },
  }
}

/** With every link resolved; the part that does not exist yet is taken as it is written. */
async function realPathOf(path: string): Promise<string> {
  const isLink = await lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  )
  try {
    return await realpath(path)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && isLink) {
      throw new PmlError(
        'file_failed',
        `Cannot use ${path}: it is a symbolic link that leads nowhere; remove it`,
      )
    }
    if (!isMissing || dirname(path) === path) throw fileError('use', path, error)
    return join(await realPathOf(dirname(path)), basename(path))
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected UTF-8; save it as such, then run this again`,
    )
  }
}
