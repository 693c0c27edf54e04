import { constants, lstatSync, type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileError } from './file-error.ts'
import { PmlError } from '@pml/core/errors'

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

interface RegularFile {
  readonly bytes: Buffer
  readonly info: BigIntStats
}

/** Some of what the system makes up is read in whole pages. */
const PAGE_BYTES = 4096

/**
 * The bytes of a regular file; throws what the system throws, and for anything else: files come with repositories, and a
 * link may lead to a pipe, a device without end, a file of /proc or far too much. Links are followed unless `flags` has `O_NOFOLLOW`. Read
 * at once: such files are small, and for those the way to a thread and back takes many times longer than the read.
 */
export function readRegular(path: string, limitBytes: number, flags = 0): RegularFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  try {
    const info = fstatSync(file, { bigint: true })
    if (info.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
    if (!info.isFile()) throw new Error('expected a regular file, got a device or a pipe')
    if (info.size > BigInt(limitBytes))
      throw new Error(`it has ${info.size} bytes, expected at most ${limitBytes}`)
    if (info.size === 0n && readSync(file, Buffer.alloc(PAGE_BYTES)) > 0)
      throw new Error('expected a regular file, got one that the system makes up')
    return { bytes: readWhole(file, Number(info.size)), info }
  } finally {
    closeSync(file)
  }
}

/** What is added meanwhile is left out. */
function readWhole(file: number, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  for (let read = -1; read !== 0 && length < sizeBytes; length += read)
    read = readSync(file, bytes, length, sizeBytes - length, null)
  return bytes.subarray(0, length)
}

/** A file that is named on the command line; throws where it is missing, no regular file or too large. */
export function readGivenFile(doing: string, file: string, limitBytes: number): Buffer {
  try {
    return readRegular(file, limitBytes).bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new PmlError('invalid_arguments', `Cannot ${doing} ${file}: there is no such file`)
    throw fileError(doing, file, error)
  }
}

/** A byte order mark stays, so that it can be written again. */
export function decodeText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected UTF-8; save it as such, then run this again`,
    )
  }
}
