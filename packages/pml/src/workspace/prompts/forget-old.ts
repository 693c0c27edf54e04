import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const MOST = 1000

/**
 * Questions hold arguments: they are not kept longer than they are good for. Nor are there ever more than a person could look
 * through, however often an agent tries again.
 */
export async function forgetOld(folder: string, before: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name))
  const found = await Promise.all(paths.map(async (path) => ({ path, at: await writtenAt(path) })))
  const newestFirst = found.toSorted((a, b) => b.at - a.at)
  const old = newestFirst.filter(({ at }, index) => at < before || index >= MOST - 1)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}

/** Another process may have taken it away by now. */
async function writtenAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
