import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { agents } from '@pml/hooks/agents'

/** More than the own files of a project. Limits the time of a decision. */
const MOST_SEEN = 50_000
/** Large generated folders. */
const notLookedInto: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Folders in the home with settings of agents and of pml. */
const ofHome = [
  ...agents.flatMap(({ home }) => (home ? [join(...home.path)] : [])),
  join('.config', 'pml'),
  join('.local', 'state', 'pml'),
]

interface LinkPlaces {
  readonly home: string
  /** Folders that are searched for hard links. */
  readonly folders: readonly string[]
}

/** Finds other hard links of a file. Searches only if the file has several. */
export function hardLinkFinder({ home, folders }: LinkPlaces): (path: string) => readonly string[] {
  return (path) => {
    const file = findFile(path)
    if (!file || file.nlink < 2n) return []
    const isSame = (other: string) => {
      const info = other === path ? undefined : findFile(other)
      return info?.ino === file.ino && info.dev === file.dev
    }
    const settings = namesIn(home)
      .filter((entry) => entry.isFile() && entry.name.startsWith('.'))
      .map(({ name }) => join(home, name))
    const searched = [...new Set([...folders, ...ofHome.map((name) => join(home, name))])]
    return [...settings.filter(isSame), ...searched.flatMap((folder) => walk(folder, isSame))]
  }
}

function walk(start: string, isSame: (path: string) => boolean): string[] {
  const found: string[] = []
  const toWalk = [start]
  let left = MOST_SEEN
  // The list grows during the loop.
  for (const folder of toWalk)
    for (const entry of left > 0 ? namesIn(folder).slice(0, left) : []) {
      left--
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !notLookedInto.has(entry.name)) toWalk.push(path)
      if (entry.isFile() && isSame(path)) found.push(path)
    }
  return found
}

function findFile(path: string) {
  try {
    const info = lstatSync(path, { bigint: true })
    const target = info.isSymbolicLink() ? statSync(path, { bigint: true }) : info
    return target.isFile() ? target : undefined
  } catch {
    return undefined
  }
}

function namesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
