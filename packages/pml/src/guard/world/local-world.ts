import { isUtf8 } from 'node:buffer'
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileContent, World } from '@pml/hooks'
import { readRegular } from '../../machine/files/read-plain-file.ts'
import { patternExpander } from './expand-pattern.ts'
import { hardLinkFinder } from './hard-links.ts'

/** More than a source file has; what is larger is judged as if nobody could look. */
const LIMIT_BYTES = 8 * 1024 * 1024

/** This machine, as a decision sees it. In `folders` other names of files are looked for. */
export function localWorld(home: string, folders: readonly string[] = []): World {
  return {
    home,
    readFile,
    realPath: (path) => realPath(path),
    otherNames: hardLinkFinder({ home, folders }),
    expand: patternExpander(),
  }
}

/** Never waits, and reads nothing but regular files. */
function readFile(path: string): FileContent {
  try {
    return contentOf(readRegular(path, LIMIT_BYTES).bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EISDIR') return { kind: 'folder' }
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return code === undefined ? { kind: 'unknown', isThere: true } : { kind: 'unknown' }
  }
}

/** Text keeps its byte order mark. Bytes that are not UTF-8 are not decoded: the replacement characters are not in the file. */
function contentOf(bytes: Buffer): FileContent {
  if (!isUtf8(bytes) || bytes.includes(0)) return { kind: 'unknown', isThere: true }
  return { kind: 'text', text: bytes.toString('utf8') }
}

const MOST_LINKS = 40
const upwards = /(?:^|\/)\.\.(?:\/|$)/

/** What does not exist yet is where its folder really is; a link that leads nowhere is written through. */
function realPath(path: string, links = MOST_LINKS): string {
  try {
    // The other one takes `..` away before it looks at links, and the kernel does not.
    return upwards.test(path) ? realpathSync.native(path) : realpathSync(path)
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
