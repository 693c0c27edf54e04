import { readdirSync, type Dirent } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'

/** Others get their turn in between. */
const SLICE_MS = 20

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** The path with links resolved; the part that cannot be resolved stays as it is. */
export async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await resolveLinks(parent), basename(path))
  }
}

/**
 * The links at or below some paths that lead where `isOpen` says no. Deno judges the name of a link and not where it
 * leads, so these must be named to it.
 */
export async function findLinks(
  paths: readonly string[],
  isOpen: (target: string) => boolean,
): Promise<string[]> {
  const found: string[] = []
  const keep = async (path: string) => {
    if (!isOpen(await resolveLinks(path))) found.push(path)
  }
  let since = performance.now()
  for (const start of paths) {
    await keep(start)
    for (const link of linksBelow(start)) {
      if (link !== undefined) await keep(link)
      if (performance.now() - since < SLICE_MS) continue
      await breathe()
      since = performance.now()
    }
  }
  return found
}

/** Undefined for each folder, so that a large tree without links lets others have their turn too. */
function* linksBelow(folder: string): Generator<string | undefined> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) yield path
    else if (entry.isDirectory()) {
      yield undefined
      yield* linksBelow(path)
    }
  }
}

/** What cannot be listed here can be listed by nobody who is started from here. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
