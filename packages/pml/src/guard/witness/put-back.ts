import {
  chmodSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { randomWord } from '../../machine/files/sha256.ts'
import type { Change } from './find-changes.ts'
import type { KeptFiles } from './kept-files.ts'

/**
 * Restores a path to its content before the change. Returns false if the bytes were not stored or a parent folder is now a
 * link. The caller has saved the current content.
 */
export function putBack({ path, before, after }: Change, kept: KeptFiles): boolean {
  try {
    if (!before) {
      unlinkSync(path)
      return true
    }
    const bytes = kept.read(before)
    if (!bytes) return false
    const folder = dirname(path)
    mkdirSync(folder, { recursive: true })
    if (realpathSync(folder) !== folder) return false
    if (before.link !== undefined && before.link !== after?.link)
      replace(path, (draft) => symlinkSync(before.link ?? '', draft))
    const real = before.link === undefined ? path : realpathSync(path)
    replace(real, (draft) => {
      writeFileSync(draft, bytes, { flag: 'wx' })
      chmodSync(draft, before.mode)
    })
    return true
  } catch {
    return false
  }
}

/** Replaces the path in one step. A folder in its place is renamed. */
function replace(path: string, make: (draft: string) => void): void {
  const word = randomWord()
  const draft = `${path}.${word}.tmp`
  try {
    make(draft)
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) renameSync(path, `${path}.${word}.aside`)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
