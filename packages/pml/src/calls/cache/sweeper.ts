import { lstat, rm, writeFile } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import type { CacheFolders } from './list-cached.ts'
import { sweepCache } from './sweep-cache.ts'

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
