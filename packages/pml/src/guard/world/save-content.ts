import { mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const MOST_FILES = 200
/** Listing the folder takes longer than a write, so only one in this many processes does it. */
const TIDIERS = 20

interface Kept {
  readonly path: string
  readonly content: string | Uint8Array
}

export interface Keeper {
  readonly folder: string
  readonly now: number
  /** Of the process. */
  readonly pid: number
}

/**
 * Saves content that was not written, readable only by its owner, under a name with time and file. Undefined if it cannot
 * be saved; the call is blocked anyway.
 */
export function saveContent({ path, content }: Kept, { folder, now, pid }: Keeper): string | undefined {
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(-80)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (pid % TIDIERS === 0) removeOldest(folder)
    return writeNew(join(folder, `${String(now).padStart(14, '0')}-${pid}`), { name, content })
  } catch {
    return undefined
  }
}

/** Numbers the files: one process may save several within a millisecond. */
function writeNew(start: string, { name, content }: { name: string; content: Kept['content'] }): string {
  for (let count = 0; ; count++) {
    const file = `${start}-${count}-${name}`
    try {
      writeFileSync(file, content, { mode: 0o600, flag: 'wx' })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Removes the oldest files: names start with the time. */
function removeOldest(folder: string): void {
  const names = readdirSync(folder).sort()
  for (const name of names.slice(0, Math.max(0, names.length - MOST_FILES))) unlinkSync(join(folder, name))
}
