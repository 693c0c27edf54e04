import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, constants, copyFile, lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { RECORD, USED, findRecordedFiles } from './tree-store.ts'

/**
 * Moves files that were added or changed since the installation out of a tree that is about to be removed, and returns the
 * new paths. A server may have written more than fits into memory.
 */
export async function keepWritten(tree: string, into: string): Promise<string[]> {
  const recorded = await findRecordedFiles(tree)
  // Without a record the tree was never complete, and nothing was started from it.
  if (recorded === undefined) return []
  const kept: string[] = []
  for await (const file of filesBelow(tree, '')) {
    const from = join(tree, file)
    const [installed] = recorded.get(file)?.split(' ', 1) ?? []
    if (installed !== undefined && installed === (await findDigest(from))) continue
    const to = join(into, file)
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    if (await move(from, to)) kept.push(to)
  }
  return kept
}

/** Makes folders accessible on the way: trees are sealed, and servers may have changed modes. */
async function* filesBelow(root: string, below: string): AsyncGenerator<string> {
  const folder = join(root, below)
  await chmod(folder, 0o700)
  for (const name of await readdir(folder)) {
    const path = below === '' ? name : `${below}/${name}`
    if (path === RECORD || path === USED) continue
    const info = await lstat(join(root, path)).catch(() => undefined)
    if (info?.isDirectory()) yield* filesBelow(root, path)
    else if (info?.isFile()) yield path
  }
}

/** Undefined for a file that cannot be read; installed files can. */
async function findDigest(file: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    await pipeline(createReadStream(file), hash)
    return `sha256-${hash.digest('hex')}`
  } catch {
    return undefined
  }
}

/** Returns false if a running server has removed the file. */
async function move(from: string, to: string): Promise<boolean> {
  try {
    await chmod(from, 0o600)
    await rename(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    return true
  }
}
