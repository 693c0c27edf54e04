import { constants, type BigIntStats } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { fileError } from './file-error.ts'

/** Tells one state of a file from another without reading it: every atomic write makes a new inode. */
export type Stamp = string

export interface PlainFile {
  readonly bytes: Buffer
  readonly stamp: Stamp
  /** When it was written or marked last, in milliseconds. */
  readonly usedAt: number
  readonly mode: number
}

/** A file of the workspace, or undefined where there is none. A symbolic link is refused, and so is a folder or a pipe. */
export async function readPlainFile(path: string, limitBytes: number): Promise<PlainFile | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const info = await file.stat({ bigint: true })
      if (!info.isFile()) throw Object.assign(new Error(), { code: 'EISDIR' })
      if (info.size > BigInt(limitBytes))
        throw new Error(`it has ${info.size} bytes, expected at most ${limitBytes}`)
      const mode = Number(info.mode & 0o777n)
      return { bytes: await file.readFile(), stamp: stampOf(info), usedAt: Number(info.mtimeMs), mode }
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileError('read', path, error)
  }
}

/** Empty where there is no file. */
export async function findStamp(path: string): Promise<Stamp> {
  const info = await lstat(path, { bigint: true }).catch(() => undefined)
  return info ? stampOf(info) : ''
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
