import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import { keepWritten } from '../../npm/keep-written.ts'
import { removeTree } from '../../machine/files/seal-tree.ts'
import { listCached, type Cached, type CacheFolders } from './list-cached.ts'

interface Sweep {
  readonly limitBytes: number
  readonly now: number
  /** Keeps trees that may be running. What is being written is kept in any case. */
  readonly keepRunning: boolean
  /** Takes what servers wrote into their trees before these are removed. */
  readonly keepIn: string
}

interface Swept {
  readonly removed: readonly Cached[]
  /** Where that is now. */
  readonly kept: readonly string[]
}

/** Removes what was not used for longest until the rest fits, or everything with 0. */
export async function sweepCache(
  folders: CacheFolders,
  { limitBytes, now, keepRunning, keepIn }: Sweep,
): Promise<Swept> {
  const cached = await listCached(folders, now)
  let total = cached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const removed: Cached[] = []
  const kept: string[] = []
  const keptFolder = ({ path }: Cached) => join(keepIn, `${basename(path).slice(0, 12)}-${now}`)
  for (const one of cached.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limitBytes && limitBytes > 0) break
    if (one.inUse === 'writing' || (one.inUse === 'running' && keepRunning)) continue
    const isTree = dirname(one.path) === folders.trees
    kept.push(...(await removeWhole(one.path, isTree ? keptFolder(one) : undefined)))
    total -= one.sizeBytes
    removed.push(one)
  }
  return { removed, kept }
}

/**
 * Renamed first: half a tree must never be found under its name. Others may remove it too. What a server wrote is moved to
 * `keepIn`, and named.
 */
async function removeWhole(path: string, keepIn: string | undefined): Promise<string[]> {
  const away = `${path.replace(/\.[0-9a-f]{8}\.gone$/, '')}.${randomBytes(4).toString('hex')}.gone`
  try {
    if (!(await isRenamed(path, away))) return []
    const kept = keepIn === undefined ? [] : await keepWritten(away, keepIn)
    await removeTree(away)
    return kept
  } catch (error) {
    throw fileError('remove', path, error)
  }
}

async function isRenamed(path: string, away: string): Promise<boolean> {
  try {
    await rename(path, away)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
