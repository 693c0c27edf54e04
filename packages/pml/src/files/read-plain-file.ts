import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type BigIntStats } from 'node:fs'
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

/**
 * A file of the workspace, or undefined where there is none. A symbolic link is refused, and so is a folder or a pipe. Read
 * at once: files here are small, and for those the way to a thread and back takes many times longer than the read.
 */
export async function readPlainFile(path: string, limitBytes: number): Promise<PlainFile | undefined> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const info = fstatSync(file, { bigint: true })
      if (!info.isFile()) throw Object.assign(new Error(), { code: 'EISDIR' })
      if (info.size > BigInt(limitBytes))
        throw new Error(`it has ${info.size} bytes, expected at most ${limitBytes}`)
      const [usedAt, mode] = [Number(info.mtimeMs), Number(info.mode & 0o777n)]
      return { bytes: readWhole(file, Number(info.size)), stamp: stampOf(info), usedAt, mode }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileError('read', path, error)
  }
}

function readWhole(file: number, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  for (let read = -1; read !== 0 && length < sizeBytes; length += read)
    read = readSync(file, bytes, length, sizeBytes - length, null)
  return bytes.subarray(0, length)
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
