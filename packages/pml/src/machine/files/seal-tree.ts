import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const WRITABLE = 0o222

/** Makes a tree read-only, so that no server changes its own code. */
export async function sealTree(folder: string): Promise<void> {
  const { mode } = await lstat(folder)
  if ((mode & WRITABLE) !== 0) await changeModes(folder, (found) => found & ~WRITABLE)
}

export async function removeTree(folder: string): Promise<void> {
  await changeModes(folder, (found, isFolder) => (isFolder ? found | 0o700 : found))
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Changes a folder after its content, so that its mode stands for everything below it. Links are not followed. */
async function changeModes(path: string, change: (mode: number, isFolder: boolean) => number): Promise<void> {
  const info = await lstat(path).catch(() => undefined)
  if (!info || info.isSymbolicLink()) return
  const mode = info.mode & 0o777
  const wanted = change(mode, info.isDirectory())
  const set = async () => {
    if (wanted !== mode) await chmod(path, wanted)
  }
  // A folder is made accessible before it is listed.
  const isOpening = (wanted & WRITABLE) > (mode & WRITABLE)
  if (isOpening) await set()
  if (info.isDirectory()) for (const name of await readdir(path)) await changeModes(join(path, name), change)
  if (!isOpening) await set()
}
