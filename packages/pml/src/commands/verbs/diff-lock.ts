import { resolve } from 'node:path'
import { diffLockfiles, lockedFqdn, parseLockfile, PmlError, type Fqdn, type LockedEntry } from '@pml/core'
import { readPlainFile } from '../../machine/files/read-plain-file.ts'
import { LOCK_LIMIT_BYTES, type LockStore } from '../../workspace/lock-store.ts'

interface ShownEntry {
  readonly fqdn: Fqdn
  readonly integrity: string
}

export interface ShownDiff {
  readonly added: ShownEntry[]
  readonly removed: ShownEntry[]
  readonly changed: { readonly before: ShownEntry; readonly after: ShownEntry }[]
}

/** What is locked here and was not in another lockfile, and the other way round. */
export async function diffLock(
  { lock }: { readonly lock: LockStore },
  { cwd, file }: { cwd: string; file: string },
): Promise<ShownDiff> {
  const path = resolve(cwd, file)
  const other = await readPlainFile(path, LOCK_LIMIT_BYTES)
  if (!other) throw new PmlError('invalid_arguments', `Cannot compare with ${path}: there is no such file`)
  const older = parseLockfile(other.bytes.toString('utf8'), path)
  const { added, removed, changed } = diffLockfiles(older, await lock.read())
  return {
    added: added.map(shown),
    removed: removed.map(shown),
    changed: changed.map(({ before, after }) => ({ before: shown(before), after: shown(after) })),
  }
}

function shown(entry: LockedEntry): ShownEntry {
  return { fqdn: lockedFqdn(entry), integrity: entry.integrity }
}
