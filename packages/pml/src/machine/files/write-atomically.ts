import { randomBytes } from 'node:crypto'
import { lstat, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from './file-error.ts'
import { noteOwnWrite } from './own-writes.ts'

/** An iterable is written piece by piece; if it fails, the file stays as it was. */
type Content = string | Uint8Array | AsyncIterable<Uint8Array>

interface WriteOptions {
  readonly mode: number
  /** Off for content that can be made again: a crash of the machine may leave the file empty. */
  readonly isDurable?: boolean
  /** The hook guards this file, so the write is recorded as pml's own. */
  readonly isGuard?: boolean
  /** Called just before the rename. If it throws, nothing has changed. */
  readonly requireHeld?: () => Promise<void>
}

/** No write takes this long: the process that began the file is dead. */
const OLD_MS = 60_000

/**
 * Readers find the old file or the new one, even after a crash. A link at `path` is replaced, never followed, and the
 * temporary file has an unpredictable name. By hand, because no dependency does this.
 */
export async function writeAtomically(
  path: string,
  content: Content,
  { mode, isDurable = true, isGuard = false, requireHeld }: WriteOptions,
): Promise<void> {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await onFile(path, () => writeFresh(fresh, content, { mode, isDurable }))
    await requireHeld?.()
    if (isGuard && (typeof content === 'string' || content instanceof Uint8Array))
      await noteOwnWrite(path, content)
    await onFile(path, () => rename(fresh, path))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw error
  }
  if (!isDurable) return
  await syncFolder(dirname(path))
  await removeLeftovers(path)
}

async function onFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    throw fileError('write', path, error)
  })
}

async function writeFresh(
  fresh: string,
  content: Content,
  { mode, isDurable }: { mode: number; isDurable: boolean },
): Promise<void> {
  const file = await open(fresh, 'wx', mode)
  try {
    await writeFile(file, content)
    if (isDurable) await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the rename durable, on systems that can sync a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

const wordPattern = /^\.[0-9a-f]{16}\.tmp$/

/** Removes temporary files that killed writers left behind. */
async function removeLeftovers(path: string): Promise<void> {
  const name = basename(path)
  for (const other of await readdir(dirname(path)).catch(() => [])) {
    if (!other.startsWith(name) || !wordPattern.test(other.slice(name.length))) continue
    const left = join(dirname(path), other)
    const { mtimeMs } = await lstat(left).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs > OLD_MS) await rm(left, { force: true }).catch(() => undefined)
  }
}
