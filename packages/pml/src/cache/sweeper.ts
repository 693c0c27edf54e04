import { stat, utimes, writeFile } from 'node:fs/promises'
import { sweepCache, type CacheFolders } from './sweep-cache.ts'

/** Keeps the cache within its bound without looking at all of it each time. */
export interface Sweeper {
  onPut(sizeBytes: number): void
  /** Sweeps if there is reason to; called when the work is done. */
  finish(): Promise<void>
}

const PAUSE_MS = 3_600_000
/** This much of the bound may be written before somebody looks. */
const UNSEEN_SHARE = 1 / 20

export function createSweeper(
  folders: CacheFolders,
  { limitBytes, stamp }: { limitBytes: number; stamp: string },
): Sweeper {
  let writtenBytes = 0
  return {
    onPut: (sizeBytes) => void (writtenBytes += sizeBytes),
    finish: async () => {
      if (writtenBytes === 0) return
      const now = Date.now()
      const { mtimeMs } = await stat(stamp).catch(() => ({ mtimeMs: 0 }))
      if (writtenBytes < limitBytes * UNSEEN_SHARE && now - mtimeMs < PAUSE_MS) return
      writtenBytes = 0
      await sweepCache(folders, { limitBytes, now, keepInUse: true })
      await utimes(stamp, now / 1000, now / 1000).catch(() =>
        writeFile(stamp, '', { mode: 0o600 }).catch(() => undefined),
      )
    },
  }
}
