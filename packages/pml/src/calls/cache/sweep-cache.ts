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
  /** Keeps trees that may be running. Items that are being written are always kept. */
  readonly keepRunning: boolean
  /** The folder for files that servers wrote into trees, which are saved before a tree is removed. */
  readonly keepIn: string
}

interface Swept {
  readonly removed: readonly Cached[]
  /** The new paths of saved files. */
  readonly kept: readonly string[]
}

/** Removes the least recently used items until the rest fits; everything if the limit is 0. */
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
 * Renames the item first, so that an incomplete tree is never found under its name. Another process may remove it too. Files
 * that a server wrote are moved to `keepIn` and returned.
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

/** Keeps the cache within its limit without listing all of it each time. */
interface Sweeper {
  onPut(sizeBytes: number): void
  /** Sweeps if needed. Called at the end of the work. */
  finish(): Promise<void>
}

const PAUSE_MS = 3_600_000
/** This share of the limit may be written before the next sweep. */
const UNSEEN_SHARE = 1 / 20

interface SweeperOptions {
  readonly limitBytes: number
  /** A file whose mtime is the time of the last sweep. */
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
        for (const file of kept) tell(`Kept ${file}: a server had written it into a tree that was removed`)
      } catch (error) {
        // The command itself has succeeded; only the cache is too large.
        if (!(error instanceof PmlError)) throw error
        tell(error.message)
      }
      await markSwept(stamp)
    },
  }
}

/** Recreates the stamp file: writing to an existing one could follow a link. */
async function markSwept(stamp: string): Promise<void> {
  await rm(stamp, { force: true }).catch(() => undefined)
  await writeFile(stamp, '', { mode: 0o600, flag: 'wx' }).catch(() => undefined)
}
