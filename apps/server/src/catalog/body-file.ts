import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PmlError } from '@pml/core'
import type { ByteString } from '../wire/answer.ts'

/** Bodies at places in a file. The system keeps in memory what is read often and memory allows. */
export interface BodyFile {
  write(body: ByteString, position: number): void
  /** Throws `unavailable` when the bytes cannot be had. */
  read(position: number, length: number): ByteString
  close(): void
}

/** A file that has no name, so that no one else can open or change it and nothing is left when the process ends. */
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
  return new PmlError('unavailable', 'Cannot use the cache of bodies; try again', { retryAfter: 1 })
}
