import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import { basename } from 'node:path'

const MOST_FOUND = 1000
const MOST_SEEN = 10_000
/** Large generated folders. */
const notLookedInto: ReadonlySet<string> = new Set(['node_modules', '.git'])

/**
 * Expands an absolute path with `*` as a shell does, nearest first; `**` is any number of folders. All patterns of one
 * decision share one limit; names beyond it are not found.
 */
export function patternExpander(): (pattern: string) => readonly string[] {
  const list = lister()
  return (pattern) => {
    const [root = '', ...parts] = pattern.replaceAll('\\', '/').split('/')
    return parts.reduce((folders, part) => step(folders, part, list), [root]).slice(0, MOST_FOUND)
  }
}

type List = (folder: string) => readonly Dirent[]

function lister(): List {
  let left = MOST_SEEN
  return (folder) => {
    const names = left > 0 ? namesIn(folder).slice(0, left) : []
    // An empty or missing folder counts too.
    left -= names.length + 1
    return names
  }
}

function step(folders: readonly string[], part: string, list: List): string[] {
  if (part === '**') return deep(folders, list)
  if (!part.includes('*')) return folders.map((folder) => `${folder}/${part}`).filter(isThere)
  const fits = fitting(part)
  return folders.flatMap((folder) =>
    list(folder)
      .filter(({ name }) => fits(name))
      .map(({ name }) => `${folder}/${name}`),
  )
}

/** Links are not followed: their targets are not affected. */
function deep(folders: readonly string[], list: List): string[] {
  const found = [...folders]
  const toWalk = folders.filter((folder) => !notLookedInto.has(basename(folder)))
  // The list grows during the loop.
  for (const folder of toWalk)
    for (const entry of list(folder)) {
      found.push(`${folder}/${entry.name}`)
      if (entry.isDirectory() && !notLookedInto.has(entry.name)) toWalk.push(`${folder}/${entry.name}`)
    }
  return found
}

/** Matches a name, ignoring case as some systems do. A leading dot must be written explicitly. */
function fitting(part: string): (name: string) => boolean {
  const pieces = part.toLowerCase().split('*')
  const [start = ''] = pieces
  return (given) => {
    const name = given.toLowerCase()
    if (name.startsWith('.') && start === '') return false
    return hasInOrder(name, pieces)
  }
}

function hasInOrder(name: string, pieces: readonly string[]): boolean {
  const [start = '', end = ''] = [pieces[0], pieces.at(-1)]
  if (!name.startsWith(start) || !name.endsWith(end) || name.length < start.length + end.length) return false
  let at = start.length
  for (const piece of pieces.slice(1, -1)) {
    const next = name.indexOf(piece, at)
    if (next < 0 || next + piece.length > name.length - end.length) return false
    at = next + piece.length
  }
  return true
}

function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(`${folder}/`, { withFileTypes: true })
  } catch {
    return []
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
