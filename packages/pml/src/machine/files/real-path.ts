import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { PmlError } from '@pml/core'
import { fileError } from './file-error.ts'

/** The path with links resolved. Throws if they lead out of `base`. */
export async function realPathIn(base: string, path: string): Promise<string> {
  const real = await realPathOf(path)
  const away = relative(await realPathOf(base), real)
  if (away === '' || away.startsWith('..') || isAbsolute(away)) {
    throw new PmlError(
      'file_failed',
      `Cannot use ${path}: it is a symbolic link that leads out of ${base}; replace it with its target`,
    )
  }
  return real
}

/** The path with links resolved. A part that does not exist yet stays as written. */
export async function realPathOf(path: string): Promise<string> {
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
        `Cannot use ${path}: it is a symbolic link whose target does not exist; remove it`,
      )
    }
    if (!isMissing || dirname(path) === path) throw fileError('use', path, error)
    return join(await realPathOf(dirname(path)), basename(path))
  }
}
