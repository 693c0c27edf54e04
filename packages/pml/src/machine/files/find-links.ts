import { readdirSync, type Dirent } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'

/** After this time other work gets a turn. */
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
 * Finds the links at or below these paths whose targets `isOpen` rejects. Deno checks the path of a link and not its
 * target, so these links must be denied one by one.
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

/** Yields undefined for each folder, so that the caller can pause in a large tree without links. */
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

/** A folder that pml cannot list, its child processes cannot list either. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
