import {
  emptyLockfile,
  lockedFqdn,
  parseLockfile,
  PmlError,
  printLockfile,
  withoutUnwanted,
  type LockedEntry,
  type Lockfile,
  type WorkspaceConfig,
} from '@pml/core'
import { findStamp, readPlainFile, type Stamp } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { requireFolder, type WorkspaceFiles } from '../workspace/workspace-files.ts'
import { holdLock } from './hold-lock.ts'

/** 100,000 entries are about 25 MiB. */
const LIMIT_BYTES = 64 * 1024 * 1024

export interface LockStore {
  /** What is trusted now. What no rule wants any more is removed from the file first, and told. */
  read(): Promise<Lockfile>
  /** Changes the file as it is at that moment, while no other process does. Written only if the content changes. */
  update(change: (lockfile: Lockfile) => Lockfile): Promise<Lockfile>
}

export interface LockStoreDeps {
  readonly files: Pick<WorkspaceFiles, 'state' | 'lock'>
  readonly config: { read(): Promise<WorkspaceConfig> }
  /** Nothing is ever written. */
  readonly isFrozen: boolean
  tell(message: string): void
}

interface Known {
  readonly stamp: Stamp
  readonly config: WorkspaceConfig
  readonly lockfile: Lockfile
}

export function openLockStore({ files, config, isFrozen, tell }: LockStoreDeps): LockStore {
  let known: Known | undefined

  async function read(): Promise<Lockfile> {
    const rules = await config.read()
    if (known?.config === rules && known.stamp === findStamp(files.lock)) return known.lockfile
    const { lockfile, stamp } = await readLock(files.lock)
    const cleaned = clean(lockfile, rules)
    if (cleaned.removed.length === 0 || isFrozen) {
      known = { stamp, config: rules, lockfile }
      return lockfile
    }
    return update((current) => current)
  }

  async function update(change: (lockfile: Lockfile) => Lockfile): Promise<Lockfile> {
    if (isFrozen) throw frozen(files.lock)
    const rules = await config.read()
    await requireFolder(files.state)
    return holdLock(files.lock, async (requireHeld) => {
      const { lockfile: before, text } = await readLock(files.lock)
      const { lockfile: wanted, removed } = clean(before, rules)
      const lockfile = change(wanted)
      const printed = printLockfile(lockfile)
      requireHeld()
      if (printed !== text && (text !== undefined || lockfile.entries.size > 0))
        await writeAtomically(files.lock, printed, { mode: 0o644 })
      if (removed.length > 0) tell(tellRemoved(removed))
      known = { stamp: findStamp(files.lock), config: rules, lockfile }
      return lockfile
    })
  }

  return { read, update }
}

function clean(lockfile: Lockfile, { permissions, saysWhatIsWanted }: WorkspaceConfig) {
  return saysWhatIsWanted ? withoutUnwanted(lockfile, permissions) : { lockfile, removed: [] }
}

async function readLock(path: string): Promise<{ lockfile: Lockfile; stamp: Stamp; text?: string }> {
  const file = await readPlainFile(path, LIMIT_BYTES)
  if (!file) return { lockfile: emptyLockfile, stamp: '' }
  const text = file.bytes.toString('utf8')
  return { lockfile: parseLockfile(text, path), stamp: file.stamp, text }
}

export function tellRemoved(removed: readonly LockedEntry[]): string {
  const list = removed.map((entry) => `  ${lockedFqdn(entry)}`).join('\n')
  return `Removed from .pml/mcp.lock, because neither allow nor ask in .pml.json speaks of it:\n${list}`
}

function frozen(path: string): PmlError {
  return new PmlError('lock_frozen', `Cannot write ${path}: the lockfile is frozen; run it without --frozen`)
}
