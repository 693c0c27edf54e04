import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Every file below a folder with its bytes; equal results mean that nothing was written. */
export async function readFolder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = files.sort().map(async (path) => [relative(folder, path), await readFile(path, 'base64')])
  return Object.fromEntries((await Promise.all(read)) as [string, string][])
}
