import { PmlError } from '@pml/core/errors'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space, then run it again',
  EDQUOT: 'the disk quota is used up; free some space, then run it again',
  EFBIG: 'this process may not write a file of this size; raise the limit (ulimit -f), then run it again',
  EROFS: 'the file system is read-only; make it writable, or use another folder',
  EACCES: 'permission denied; change its owner or mode',
  EPERM: 'permission denied; change its owner or mode',
  ENOTDIR: 'a part of its path is a file, expected a folder; move that file away',
  EISDIR: 'it is a folder, expected a file; move that folder away',
  ELOOP: 'it is a symbolic link, which could lead out of the workspace; replace it with its target',
}

/** Turns a system error into one that names the file and the fix. */
export function fileError(doing: string, path: string, error: unknown): PmlError {
  if (error instanceof PmlError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new PmlError('file_failed', `Cannot ${doing} ${path}: ${reasons[code] ?? (code || message)}`)
}
