import { lstatSync, readdirSync } from 'node:fs'

const MOST_FOUND = 1000
const MOST_SEEN = 20_000
/** There is much of it, and nobody writes it by hand. */
const notLookedInto: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** What is on disk of a whole path with `*` in it, as a shell finds it, nearest first; `**` is any folders, or none. */
export function expandPattern(pattern: string): readonly string[] {
  const [root = '', ...parts] = pattern.replaceAll('\\', '/').split('/')
  const list = lister()
  const found = parts.reduce((folders, part) => step(folders, part, list), [root])
  return found.filter(isThere).slice(0, MOST_FOUND)
}

type List = (folder: string) => readonly string[]

/** Names in a folder, until there were too many of them. */
function lister(): List {
  let left = MOST_SEEN
  return (folder) => {
    const names = left > 0 ? namesIn(folder) : []
    left -= names.length
    return names
  }
}

function step(folders: readonly string[], part: string, list: List): string[] {
  if (part === '**') return deep(folders, list)
  if (!part.includes('*')) return folders.map((folder) => `${folder}/${part}`)
  const fits = fitting(part)
  return folders.flatMap((folder) =>
    list(`${folder}/`)
      .filter(fits)
      .map((name) => `${folder}/${name}`),
  )
}

function deep(folders: readonly string[], list: List): string[] {
  const found = [...folders]
  // It grows while it is walked.
  for (const folder of found) for (const name of belowFolder(folder, list)) found.push(`${folder}/${name}`)
  return found
}

function belowFolder(folder: string, list: List): readonly string[] {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  return notLookedInto.has(name) ? [] : list(`${folder}/`)
}

/** A name that starts with a dot must be asked for. Case does not count, as on some systems. */
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

/** A link is not followed: what is behind it does not go with it. */
function namesIn(folder: string): readonly string[] {
  try {
    return lstatSync(folder.replace(/(?<=.)\/$/, '')).isDirectory() ? readdirSync(folder) : []
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
