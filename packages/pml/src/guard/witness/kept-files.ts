import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../machine/files/replace-file.ts'
import { readRegular } from '../../machine/files/read-plain-file.ts'
import { sha256 } from '../../machine/files/sha256.ts'

/** What a path held: a file's bytes by their hash, a link with what it leads to, or something that is neither. */
export interface Held {
  /** Of the bytes; of the number of bytes where there are too many to keep. */
  readonly hash: string
  /** The target, where the path is a link. */
  readonly link?: string
  /** The bytes are not kept, so they cannot be put back. */
  readonly isTooLarge?: true
  readonly mode: number
}

const LIMIT_BYTES = 8 * 1024 * 1024

/** Bytes by their hash, for their owner only. */
export interface KeptFiles {
  /** What the path holds now; its bytes are kept. Undefined where there is nothing. */
  take(path: string): Held | undefined
  /** Undefined where they were not kept, or are damaged. */
  read(held: Held): Buffer | undefined
  /** Removes what is not among these. */
  sweep(hashes: ReadonlySet<string>): void
}

export function openKeptFiles(folder: string): KeptFiles {
  const fileOf = (hash: string) => join(folder, hash)
  return {
    take: (path) => {
      const found = look(path)
      if (!found) return undefined
      if (found.bytes) keep(folder, fileOf(found.held.hash), found.bytes)
      return found.held
    },
    read: ({ hash, isTooLarge }) => {
      if (isTooLarge) return undefined
      try {
        const bytes = readFileSync(fileOf(hash))
        return sha256(bytes) === hash ? bytes : undefined
      } catch {
        return undefined
      }
    },
    sweep: (hashes) => {
      for (const name of list(folder)) if (!hashes.has(name)) rmSync(fileOf(name), { force: true })
    },
  }
}

function look(path: string): { held: Held; bytes?: Buffer } | undefined {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (!info) return undefined
  const link = info.isSymbolicLink() ? { link: readlinkSync(path) } : {}
  try {
    const { bytes, info: target } = readRegular(path, LIMIT_BYTES)
    return { held: { hash: sha256(bytes), ...link, mode: Number(target.mode) & 0o777 }, bytes }
  } catch {
    // A folder, a pipe, nothing behind a link, or too much: known by what the system says of it.
    const target = targetOf(path) ?? info
    const state = `${target.ino} ${target.size} ${target.mtimeMs} ${target.ctimeMs}`
    return { held: { hash: sha256(state), ...link, isTooLarge: true, mode: target.mode & 0o777 } }
  }
}

function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function keep(folder: string, file: string, bytes: Buffer): void {
  if (statSync(file, { throwIfNoEntry: false })?.size === bytes.length) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  replaceFile(file, bytes)
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
