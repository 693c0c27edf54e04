import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { fileError } from '../files/file-error.ts'
import { listCached, type Cached, type CacheFolders } from './list-cached.ts'

export interface Sweep {
  readonly limitBytes: number
  readonly now: number
  /** Keeps trees that may be running. What is being written is kept in any case. */
  readonly keepRunning: boolean
}

/** Removes what was not used for longest until the rest fits, or everything with 0. Gives what went. */
export async function sweepCache(
  folders: CacheFolders,
  { limitBytes, now, keepRunning }: Sweep,
): Promise<Cached[]> {
  const cached = await listCached(folders, now)
  let total = cached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const removed: Cached[] = []
  for (const one of cached.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limitBytes && limitBytes > 0) break
    if (one.inUse === 'writing' || (one.inUse === 'running' && keepRunning)) continue
    await removeWhole(one.path)
    total -= one.sizeBytes
    removed.push(one)
  }
  return removed
}

/** Renamed first: half a tree must never be found under its name. Others may remove it too. */
async function removeWhole(path: string): Promise<void> {
  const away = `${path.replace(/\.[0-9a-f]{8}\.gone$/, '')}.${randomBytes(4).toString('hex')}.gone`
  try {
    await rename(path, away)
    await rm(away, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError('remove', path, error)
  }
}
