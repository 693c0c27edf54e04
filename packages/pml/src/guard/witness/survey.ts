import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { sep } from 'node:path'

/** A folder to survey. `depth` is the number of levels below it; 0 means only its own files. */
export interface Start {
  readonly path: string
  readonly depth: number
}

/** The metadata of protected files. Rows of numbers, because it is read at every call. */
export interface Survey {
  /** The start time in milliseconds. */
  readonly at: number
  /** False if there were too many files. */
  readonly isWhole: boolean
  readonly folders: readonly SeenFolder[]
  /** A row for each folder, followed by one for each of its files. */
  readonly stamps: ArrayLike<number>
}

export interface SeenFolder {
  readonly path: string
  /** Names. */
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** The index of its row. */
  readonly row: number
}

/** A survey compared with the one before. */
export interface Surveyed extends Survey {
  /** Files that are new, gone, or have different metadata. */
  readonly suspects: readonly string[]
  /** Whether the same folders have the same files. */
  readonly isSameListing: boolean
}

interface Surveying {
  readonly starts: readonly Start[]
  /** The last survey under the same rules. */
  readonly known: Survey | undefined
  readonly now: number
  isProtected(path: string): boolean
  isLeftOut(path: string): boolean
}

/** Inode, size, mode, mtime and ctime, which cannot be set. */
export const ROW = 5
const CHANGED = 4
const MOST_FOLDERS = 30_000
const MOST_FILES = 20_000
/** A stamp that equals none, not even itself. */
export const doubt: readonly number[] = Array.from({ length: ROW }, () => Number.NaN)
/** Large generated folders, outside the scope of all rules except for pml itself, which is surveyed separately. */
const prunedNames = new Set(['.git', 'node_modules'])

/** Whether all metadata is unchanged. Takes half the time of a survey and is usually enough. */
export function isUntouched(known: Survey, starts: readonly Start[]): boolean {
  const seen = new Set<string>()
  for (const { path, files, row } of known.folders) {
    if (!isSameAt(known, row, path)) return false
    const inside = insideOf(path)
    for (let index = 0; index < files.length; index++)
      if (!isSameAt(known, row + 1 + index, `${inside}${files[index]}`)) return false
    seen.add(path)
  }
  return starts.every(({ path }) => seen.has(path) || !statOf(path)?.isDirectory())
}

function isSameAt(known: Survey, row: number, path: string): boolean {
  const info = statOf(path)
  return info !== undefined && isSame(known, row, info)
}

/** Surveys the folders: one stat per folder and protected file. Lists only folders that have changed. */
export function survey(surveying: Surveying): Surveyed {
  const { starts, known, now } = surveying
  const [folders, stamps, suspects]: [SeenFolder[], number[], string[]] = [[], [], []]
  const findKnown = knownFolders(known)
  const seen = new Set<string>()
  let isWhole = true
  let isSameListing = known !== undefined
  let fileCount = 0
  const waiting = starts.map(({ path, depth }) => ({ path, depth }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, depth } = next
    const inside = insideOf(path)
    if (seen.has(path)) continue
    seen.add(path)
    const info = statOf(path)
    if (!info?.isDirectory()) continue
    if (folders.length >= MOST_FOLDERS) {
      isWhole = false
      break
    }
    const row = stamps.length / ROW
    pushStamp(stamps, info)
    const before = findKnown(path, folders.length)
    const isUnchanged = known && before && isSame(known, before.row, info)
    const listed = isUnchanged ? inRow(before, row) : { ...listFolder(path, surveying), path, row }
    const folder = withRoom(listed, MOST_FILES - fileCount)
    isWhole &&= folder === listed
    isSameListing &&= isUnchanged === true && known?.folders[folders.length] === folder
    folders.push(folder)
    fileCount += folder.files.length
    for (const [index, name] of folder.files.entries()) {
      const file = `${inside}${name}`
      const found = statOf(file)
      // The target of a link may change without the link.
      if (!found || found.isSymbolicLink()) stamps.push(...doubt)
      else pushStamp(stamps, found)
      if (!found || !isUnchanged || !isSame(known, before.row + 1 + index, found)) suspects.push(file)
    }
    if (depth > 0)
      for (const name of folder.folders) waiting.push({ path: `${inside}${name}`, depth: depth - 1 })
  }
  isSameListing &&= folders.length === known?.folders.length
  return { at: now, isWhole, folders, stamps, suspects, isSameListing }
}

/** Finds a folder in the last survey, usually at the same index. */
function knownFolders(known: Survey | undefined): (path: string, index: number) => SeenFolder | undefined {
  let byPath: Map<string, SeenFolder> | undefined
  return (path, index) => {
    const likely = known?.folders[index]
    if (likely?.path === path) return likely
    byPath ??= new Map(known?.folders.map((folder) => [folder.path, folder]))
    return byPath.get(path)
  }
}

function withRoom(folder: SeenFolder, count: number): SeenFolder {
  return folder.files.length <= count ? folder : { ...folder, files: folder.files.slice(0, count) }
}

function inRow(folder: SeenFolder, row: number): SeenFolder {
  return folder.row === row ? folder : { ...folder, row }
}

function listFolder(
  path: string,
  { isProtected, isLeftOut }: Surveying,
): Pick<SeenFolder, 'folders' | 'files'> {
  const [folders, files]: [string[], string[]] = [[], []]
  const inside = insideOf(path)
  for (const entry of list(path)) {
    const { name } = entry
    const whole = `${inside}${name}`
    if (isLeftOut(whole)) continue
    if (entry.isDirectory()) {
      if (!prunedNames.has(name)) folders.push(name)
    } else if (isProtected(whole)) files.push(name)
  }
  return { folders, files }
}

/** The prefix of paths in a folder. */
export function insideOf(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`
}

function list(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Whether a file is certainly unchanged: one that changed just before the last survey may have changed again unseen. */
function isSame({ at, stamps }: Survey, row: number, { ino, size, mode, mtimeMs, ctimeMs }: Stats): boolean {
  const start = row * ROW
  return (
    stamps[start + CHANGED] === ctimeMs &&
    stamps[start + 3] === mtimeMs &&
    stamps[start] === ino &&
    stamps[start + 1] === size &&
    stamps[start + 2] === mode &&
    at - ctimeMs > racyMsAt(ctimeMs)
  )
}

/**
 * How long before a survey a file must have changed, so that a later change is visible in its times: longer than a tick of
 * the file system's clock. If a time has no fraction, the clock may tick every two seconds, as on FAT.
 */
export function racyMsAt(ctimeMs: number): number {
  return ctimeMs % 1000 === 0 ? 2100 : 100
}

function pushStamp(stamps: number[], { ino, size, mode, mtimeMs, ctimeMs }: Stats): void {
  stamps.push(ino, size, mode, mtimeMs, ctimeMs)
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
