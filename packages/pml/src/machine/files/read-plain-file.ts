import { constants, lstatSync, type BigIntStats } from 'node:fs'
import { fileError } from './file-error.ts'
import { readRegular } from './read-regular.ts'

/** Tells one state of a file from another without reading it: every atomic write makes a new inode. */
export type Stamp = string

interface PlainFile {
  readonly bytes: Buffer
  readonly stamp: Stamp
  /** When it was written or marked last, in milliseconds. */
  readonly usedAt: number
  readonly mode: number
}

/** A file of the workspace, or undefined where there is none. A symbolic link is refused, and so is a folder or a pipe. */
export async function readPlainFile(path: string, limitBytes: number): Promise<PlainFile | undefined> {
  try {
    const { bytes, info } = readRegular(path, limitBytes, constants.O_NOFOLLOW)
    const [usedAt, mode] = [Number(info.mtimeMs), Number(info.mode & 0o777n)]
    return { bytes, stamp: stampOf(info), usedAt, mode }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileError('read', path, error)
  }
}

/** Empty where there is no file. */
export function findStamp(path: string): Stamp {
  try {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return info ? stampOf(info) : ''
  } catch {
    return ''
  }
}

const seen = new Map<string, Stamp>()

/** The same, looked at once in a turn of the event loop: what asks several times for one call need not look as often. */
export function findStampNow(path: string): Stamp {
  const known = seen.get(path)
  if (known !== undefined) return known
  const stamp = findStamp(path)
  if (seen.size === 0) setImmediate(() => seen.clear())
  seen.set(path, stamp)
  return stamp
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
