import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs'

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
