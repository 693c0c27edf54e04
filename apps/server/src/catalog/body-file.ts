import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { ByteString } from '../wire/answer.ts'

/** A file of bodies at given positions. The page cache of the system keeps the frequently read parts in memory. */
export interface BodyFile {
  write(body: ByteString, position: number): void
  /** Throws `unavailable` if the bytes cannot be read. */
  read(position: number, length: number): ByteString
  close(): void
}

/** Opens an unlinked file, which no other process can open and which disappears when the process ends. */
export function openBodyFile(folder: string): BodyFile {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `cache-${randomBytes(6).toString('hex')}`)
  const file = openSync(path, 'wx+', 0o600)
  rmSync(path)
  let scratch = Buffer.allocUnsafeSlow(64 * 1024)
  return {
    write: (body, position) => {
      if (writeSync(file, body, position, 'latin1') !== body.length) throw unavailable()
    },
    read: (position, length) => {
      if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(length)
      const read = length === 0 ? 0 : tryRead(file, scratch, { length, position })
      if (read !== length) throw unavailable()
      return scratch.toString('latin1', 0, length)
    },
    close: () => closeSync(file),
  }
}

function tryRead(
  file: number,
  into: Buffer,
  { length, position }: { length: number; position: number },
): number {
  try {
    return readSync(file, into, 0, length, position)
  } catch {
    throw unavailable()
  }
}

function unavailable(): PmlError {
  return new PmlError('unavailable', 'Cannot use the body cache; try again', { retryAfter: 1 })
}
