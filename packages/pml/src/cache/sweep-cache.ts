import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'

/** One thing that can be made again: a file of content, or a whole installed tree. */
export interface Cached {
  readonly path: string
  readonly sizeBytes: number
  readonly usedAt: number
}

/** Trees that were used a moment ago may still be running. */
const IN_USE_MS = 3_600_000

export interface CacheFolders {
  readonly content: string
  readonly trees: string
}

export async function listCached({ content, trees }: CacheFolders): Promise<Cached[]> {
  const [files, installed] = await Promise.all([listFiles(content), listTrees(trees)])
  return [...files, ...installed]
}

/** Removes what was not used for longest until the rest fits, or everything with 0. Gives what went. */
export async function sweepCache(
  folders: CacheFolders,
  { limitBytes, now, keepInUse }: { limitBytes: number; now: number; keepInUse: boolean },
): Promise<Cached[]> {
  const cached = await listCached(folders)
  let total = cached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const removed: Cached[] = []
  for (const one of cached.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limitBytes) break
    if (keepInUse && now - one.usedAt < IN_USE_MS && one.path.startsWith(folders.trees)) continue
    await removeWhole(one.path)
    total -= one.sizeBytes
    removed.push(one)
  }
  return removed
}

/** Renamed first: half a tree must never be found under its name. */
async function removeWhole(path: string): Promise<void> {
  const away = `${path}.${randomBytes(4).toString('hex')}.gone`
  await rename(path, away).catch(() => undefined)
  await rm(away, { recursive: true, force: true })
}

async function listFiles(folder: string): Promise<Cached[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  return sized(files.map((entry) => join(entry.parentPath, entry.name)))
}

async function sized(paths: readonly string[]): Promise<Cached[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const info = await stat(path).catch(() => undefined)
      return info ? [{ path, sizeBytes: info.size, usedAt: info.mtimeMs }] : []
    }),
  )
  return found.flat()
}

async function listTrees(folder: string): Promise<Cached[]> {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const files = await listFiles(path)
      const used = await stat(join(path, 'used')).catch(() => stat(path))
      const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
      return { path, sizeBytes, usedAt: used.mtimeMs }
    }),
  )
}
