import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileContent, World } from '@pml/hooks'
import { patternExpander } from './expand-pattern.ts'

/** More than a source file has; what is larger is judged as if nobody could look. */
const LIMIT_BYTES = 8 * 1024 * 1024

/** This machine, as a decision sees it. */
export function localWorld(home: string): World {
  return { home, readFile, realPath: (path) => realPath(path), expand: patternExpander() }
}

/** Never waits: a pipe is opened without, and read not at all. */
function readFile(path: string): FileContent {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const info = fstatSync(file)
      if (info.isDirectory()) return { kind: 'folder' }
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

const MOST_LINKS = 40

/** What does not exist yet is where its folder really is; a link that leads nowhere is written through. */
function realPath(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    if (folder === path) return path
    const here = join(realPath(folder, links), basename(path))
    const target = findTarget(here)
    return target === undefined || links === 0 ? here : realPath(resolve(dirname(here), target), links - 1)
  }
}

function findTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
