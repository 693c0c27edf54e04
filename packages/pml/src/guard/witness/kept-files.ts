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

/** The content of a path: a file by its hash, a link with its target, or something else. */
export interface Held {
  /** The hash of the bytes, or of the metadata if the file is too large to keep. */
  readonly hash: string
  /** The target, if the path is a link. */
  readonly link?: string
  /** The bytes are not stored, so they cannot be restored. */
  readonly isTooLarge?: true
  readonly mode: number
}

const LIMIT_BYTES = 8 * 1024 * 1024

/** Content by its hash, readable only by its owner. */
export interface KeptFiles {
  /** Stores the current content of a path; undefined if there is nothing. */
  take(path: string): Held | undefined
  /** The stored bytes; undefined if they were not stored or are damaged. */
  read(held: Held): Buffer | undefined
  /** Removes all other content. */
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
    // A folder, a pipe, a dangling link or a too large file is identified by its metadata.
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
