import { randomBytes } from 'node:crypto'
import { rename, lstat, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from '../../machine/files/file-error.ts'
import { keepWritten } from '../../npm/keep-written.ts'
import { removeTree } from '../../machine/files/seal-tree.ts'
import { listCached, type Cached, type CacheFolders } from './list-cached.ts'
import { PmlError } from '@pml/core'

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

/** Keeps the cache within its bound without looking at all of it each time. */
interface Sweeper {
  onPut(sizeBytes: number): void
  /** Sweeps if there is reason to; called when the work is done. */
  finish(): Promise<void>
}

const PAUSE_MS = 3_600_000
/** This much of the bound may be written before somebody looks. */
const UNSEEN_SHARE = 1 / 20

interface SweeperOptions {
  readonly limitBytes: number
  /** Its time is that of the last sweep. */
  readonly stamp: string
  readonly keepIn: string
  tell(message: string): void
}

export function createSweeper(
  folders: CacheFolders,
  { limitBytes, stamp, keepIn, tell }: SweeperOptions,
): Sweeper {
  let writtenBytes = 0
  return {
    onPut: (sizeBytes) => void (writtenBytes += sizeBytes),
    finish: async () => {
      if (writtenBytes === 0) return
      const now = Date.now()
      const { mtimeMs } = await lstat(stamp).catch(() => ({ mtimeMs: 0 }))
      if (writtenBytes < limitBytes * UNSEEN_SHARE && now - mtimeMs < PAUSE_MS) return
      writtenBytes = 0
      try {
        const { kept } = await sweepCache(folders, { limitBytes, now, keepRunning: true, keepIn })
        for (const file of kept) tell(`Kept ${file}: a server wrote it into a tree that was removed`)
      } catch (error) {
        // What was asked for is done; only the cache is larger than it should be.
        if (!(error instanceof PmlError)) throw error
        tell(error.message)
      }
      await markSwept(stamp)
    },
  }
}

/** Made anew: writing to what is there would follow a link. */
async function markSwept(stamp: string): Promise<void> {
  await rm(stamp, { force: true }).catch(() => undefined)
  await writeFile(stamp, '', { mode: 0o600, flag: 'wx' }).catch(() => undefined)
}
