import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileContent, World } from '@pml/hooks'

/** More than a source file has; what is larger is judged as if nobody could look. */
const LIMIT_BYTES = 8 * 1024 * 1024

/** This machine, as a decision sees it. */
export function localWorld(home: string): World {
  return { home, readFile, realPath }
}

/** Never waits: a pipe is opened without, and read not at all. */
function readFile(path: string): FileContent {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const info = fstatSync(file)
      if (!info.isFile() || info.size > LIMIT_BYTES) return { kind: 'unknown' }
      return { kind: 'text', text: readFileSync(file, 'utf8') }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown' }
  }
}

/** What does not exist yet is where its folder really is. A link that leads nowhere is written through, so it counts. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realPath(folder), basename(path))
  }
}
