import { randomBytes } from 'node:crypto'
import { lstat, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from './file-error.ts'
import { noteOwnWrite } from './own-writes.ts'

/** What comes piece by piece is written as it comes; if it fails, there is no new file. */
type Content = string | Uint8Array | AsyncIterable<Uint8Array>

interface WriteOptions {
  readonly mode: number
  /** Off for what can be made again: a crash of the whole machine may then leave the file empty. */
  readonly isDurable?: boolean
  /** The file is part of what guards agents: the hook must know that it was not one of them who wrote it. */
  readonly isGuard?: boolean
  /** Asked last, when only the new name is missing: what it throws leaves everything as it was. */
  readonly requireHeld?: () => Promise<void>
}

/** No write takes this long: whoever began such a file is dead. */
const OLD_MS = 60_000

/**
 * Whoever reads, and whatever dies in between, finds the old file or the new one. A link at `path` is replaced, never
 * followed, and the file beside it that is written first has a name that nobody can foresee.
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

/** So that the new name survives too; systems that cannot sync a folder do without. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

const wordPattern = /^\.[0-9a-f]{16}\.tmp$/

/** What killed writers of the same file left beside it. */
async function removeLeftovers(path: string): Promise<void> {
  const name = basename(path)
  for (const other of await readdir(dirname(path)).catch(() => [])) {
    if (!other.startsWith(name) || !wordPattern.test(other.slice(name.length))) continue
    const left = join(dirname(path), other)
    const { mtimeMs } = await lstat(left).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs > OLD_MS) await rm(left, { force: true }).catch(() => undefined)
  }
}
