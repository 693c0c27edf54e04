import { constants, lstatSync, type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileError } from './file-error.ts'
import { PmlError } from '@pml/core/errors'

/** Identifies a state of a file without reading it: every atomic write makes a new inode. */
export type Stamp = string

interface PlainFile {
  readonly bytes: Buffer
  readonly stamp: Stamp
  /** The modification time in milliseconds. */
  readonly usedAt: number
  readonly mode: number
}

/** Reads a regular file; undefined if there is none. Refuses symbolic links, folders and pipes. */
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

/** The stamp of a file; empty if there is none. */
export function findStamp(path: string): Stamp {
  try {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return info ? stampOf(info) : ''
  } catch {
    return ''
  }
}

const seen = new Map<string, Stamp>()

/** The same, cached for one turn of the event loop: one call asks several times. */
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

/** Some virtual files can only be read in whole pages. */
const PAGE_BYTES = 4096

/**
 * Reads a regular file. Throws the system's error, and an error for anything else: files come with repositories, and a
 * link may lead to a pipe, an endless device, a file of /proc or a huge file. Links are followed unless `flags` has
 * `O_NOFOLLOW`. Synchronous: the files are small, and a trip to the thread pool takes many times longer than the read.
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
      throw new Error('expected a regular file, got a virtual one')
    return { bytes: readWhole(file, Number(info.size)), info }
  } finally {
    closeSync(file)
  }
}

/** Bytes appended during the read are left out. */
function readWhole(file: number, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  for (let read = -1; read !== 0 && length < sizeBytes; length += read)
    read = readSync(file, bytes, length, sizeBytes - length, null)
  return bytes.subarray(0, length)
}

/** Reads a file named on the command line. Throws if it is missing, not a regular file or too large. */
export function readGivenFile(doing: string, file: string, limitBytes: number): Buffer {
  try {
    return readRegular(file, limitBytes).bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new PmlError('invalid_arguments', `Cannot ${doing} ${file}: there is no such file`)
    throw fileError(doing, file, error)
  }
}

/** Decodes UTF-8 and keeps a byte order mark. Throws `invalid_config` for other bytes. */
export function decodeText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PmlError(
      'invalid_config',
      `Cannot read ${path}: expected UTF-8; save it as UTF-8, then run this again`,
    )
  }
}
