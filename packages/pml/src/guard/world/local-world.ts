import { isUtf8 } from 'node:buffer'
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileContent, World } from '@pml/hooks'
import { readRegular } from '../../machine/files/read-plain-file.ts'
import { patternExpander } from './expand-pattern.ts'
import { hardLinkFinder } from './hard-links.ts'

/** Larger files are judged without their content. */
const LIMIT_BYTES = 8 * 1024 * 1024

/** Access to this machine for a decision. `folders` are searched for hard links. */
export function localWorld(home: string, folders: readonly string[] = []): World {
  return {
    home,
    readFile,
    realPath: (path) => realPath(path),
    otherNames: hardLinkFinder({ home, folders }),
    expand: patternExpander(),
  }
}

/** Reads only regular files and never blocks. */
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

/** Decodes UTF-8 and keeps a byte order mark. Other bytes are unknown: they would decode to replacement characters. */
function contentOf(bytes: Buffer): FileContent {
  if (!isUtf8(bytes) || bytes.includes(0)) return { kind: 'unknown', isThere: true }
  return { kind: 'text', text: bytes.toString('utf8') }
}

const MOST_LINKS = 40
const upwards = /(?:^|\/)\.\.(?:\/|$)/

/** The real path, also of a file that does not exist yet. A dangling link counts as its target. */
function realPath(path: string, links = MOST_LINKS): string {
  try {
    // Only `native` resolves links before `..`, as the kernel does.
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
