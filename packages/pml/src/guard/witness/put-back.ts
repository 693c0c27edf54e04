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
 * Makes the path what it was before. False where it cannot: the bytes were not kept, or a folder above is a link now and
 * leads elsewhere. What is there now must have been saved.
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

/** In one step: whoever reads finds the one or the other. A folder of that name is put beside. */
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
