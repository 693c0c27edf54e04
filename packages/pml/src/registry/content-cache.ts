import { lutimes, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hexOf, integrityOf, PmlError, type Integrity } from '@pml/core'
import { readPlainFile } from '../machine/files/read-plain-file.ts'
import { writeAtomically } from '../machine/files/write-atomically.ts'
import { requireFolder } from '../workspace/workspace-files.ts'

/** Content by its SHA-256, shared by all workspaces of a user. */
export interface ContentCache {
  /** Hashes on every read. A damaged file, or anything but a regular file, is removed and counts as missing. */
  find(integrity: Integrity): Promise<Buffer | undefined>
  /** The caller has hashed the bytes. */
  put(integrity: Integrity, bytes: Uint8Array): Promise<void>
  pathOf(integrity: Integrity): string
}

const LIMIT_BYTES = 64 * 1024 * 1024

interface ContentCacheDeps {
  readonly folder: string
  tell(message: string): void
  onPut(sizeBytes: number): void
}

export function openContentCache({ folder, tell, onPut }: ContentCacheDeps): ContentCache {
  const pathOf = (integrity: Integrity) => {
    const hex = hexOf(integrity)
    return join(folder, hex.slice(0, 2), hex)
  }
  return {
    pathOf,
    find: async (integrity) => {
      const path = pathOf(integrity)
      try {
        return await readChecked(path, integrity)
      } catch (error) {
        if (!(error instanceof PmlError)) throw error
        tell(`${error.message}; it is fetched again`)
        // If it cannot be removed, writing it again reports why.
        await rm(path, { recursive: true, force: true }).catch(() => undefined)
        return undefined
      }
    },
    put: async (integrity, bytes) => {
      const path = pathOf(integrity)
      for (const parent of [folder, dirname(path)]) await requireFolder(parent, 0o700)
      await writeAtomically(path, bytes, { mode: 0o600, isDurable: false })
      onPut(bytes.length)
    },
  }
}

async function readChecked(path: string, integrity: Integrity): Promise<Buffer | undefined> {
  const file = await readPlainFile(path, LIMIT_BYTES)
  if (!file) return undefined
  const found = integrityOf(file.bytes)
  if (found !== integrity)
    throw new PmlError(
      'integrity_mismatch',
      `Cannot use ${path}: the cached file is damaged, expected ${integrity}, got ${found}`,
    )
  await markUsed(path, file.usedAt)
  return file.bytes
}

const FRESH_MS = 3_600_000

/** The mtime of a file is its last use, to the hour. The least recently used files are removed first. */
async function markUsed(path: string, usedAt: number): Promise<void> {
  const now = Date.now()
  if (now - usedAt > FRESH_MS) await lutimes(path, now / 1000, now / 1000).catch(() => undefined)
}
