import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { agents } from '@pml/hooks/agents'

/** More than a project has of its own; a decision is not to wait for more. */
const MOST_SEEN = 50_000
/** There is much of it, and nobody writes it by hand. */
const notLookedInto: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Folders of a home that hold settings of agents and of pml. */
const ofHome = [
  ...agents.flatMap(({ home }) => (home ? [join(...home.path)] : [])),
  join('.config', 'pml'),
  join('.local', 'state', 'pml'),
]

interface LinkPlaces {
  readonly home: string
  /** Folders in which other names are looked for. */
  readonly folders: readonly string[]
}

/** Finds the other names of a file that has several. Most files have one, and nothing is searched for those. */
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
  // It grows while it is walked.
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
