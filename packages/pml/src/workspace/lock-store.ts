import {
  emptyLockfile,
  lockedFqdn,
  parseLockfile,
  PmlError,
  printLockfile,
  withoutEntries,
  withoutUnwanted,
  type Cleaned,
  type LockedEntry,
  type Lockfile,
  type WorkspaceConfig,
} from '@pml/core'
import { findStamp, findStampNow, readPlainFile, type Stamp } from '../machine/files/read-plain-file.ts'
import { requireFolder, type WorkspaceFiles } from './workspace-files.ts'

/** 100,000 entries are about 25 MiB. */
export const LOCK_LIMIT_BYTES = 64 * 1024 * 1024

export interface LockStore {
  /** The locked entries. Entries that no rule wants any more are removed from the file first, and reported. */
  read(): Promise<Lockfile>
  /** Changes the current file under its lock. Writes only if the content changes. */
  update(change: (lockfile: Lockfile) => Lockfile): Promise<Lockfile>
  /** Removes entries that no rule wants any more and those for which `isRemoved` is true. Returns all of them. */
  clean(isRemoved: (entry: LockedEntry) => boolean): Promise<readonly LockedEntry[]>
}

interface LockStoreDeps {
  readonly files: Pick<WorkspaceFiles, 'state' | 'lock'>
  readonly config: { read(): Promise<WorkspaceConfig> }
  /** The file is never written. */
  readonly isFrozen: boolean
  tell(message: string): void
}

/** The file as it was read, and after applying the rules. */
interface Known extends Cleaned {
  readonly stamp: Stamp
  /** Undefined if there is no file. */
  readonly text: string | undefined
  readonly found: Lockfile
  readonly config: WorkspaceConfig
}

interface Rewritten {
  readonly lockfile: Lockfile
  readonly unwanted: readonly LockedEntry[]
}

export function openLockStore({ files, config, isFrozen, tell }: LockStoreDeps): LockStore {
  let known: Known | undefined

  /** Reads and checks the file again only if it or the rules have changed. */
  async function load(): Promise<Known> {
    const rules = await config.read()
    if (known?.config === rules && known.stamp === findStampNow(files.lock)) return known
    const file = await readLock(files.lock)
    known = { ...file, ...withoutUnspoken(file.found, rules), config: rules }
    return known
  }

  async function read(): Promise<Lockfile> {
    const { found, removed } = await load()
    return removed.length === 0 || isFrozen ? found : update((current) => current)
  }

  async function update(change: (lockfile: Lockfile) => Lockfile): Promise<Lockfile> {
    const { lockfile, unwanted } = await rewrite(change)
    if (unwanted.length > 0) tell(tellRemoved(unwanted))
    return lockfile
  }

  async function rewrite(change: (lockfile: Lockfile) => Lockfile): Promise<Rewritten> {
    if (isFrozen) throw frozen(files.lock)
    // Loaded on the first write: most processes only read.
    const [{ holdLock }, { writeAtomically }] = await Promise.all([
      import('../machine/hold-lock.ts'),
      import('../machine/files/write-atomically.ts'),
    ])
    await requireFolder(files.state)
    return holdLock(files.lock, async (requireHeld) => {
      const before = await load()
      const lockfile = change(before.lockfile)
      const text = printLockfile(lockfile)
      if (text !== before.text && (before.text !== undefined || lockfile.entries.size > 0))
        await writeAtomically(files.lock, text, { mode: 0o644, requireHeld, isGuard: true })
      known = { ...before, stamp: findStamp(files.lock), text, found: lockfile, lockfile, removed: [] }
      return { lockfile, unwanted: before.removed }
    })
  }

  async function clean(isRemoved: (entry: LockedEntry) => boolean): Promise<readonly LockedEntry[]> {
    let removed: readonly LockedEntry[] = []
    const { unwanted } = await rewrite((current) => {
      const cleaned = withoutEntries(current, isRemoved)
      removed = cleaned.removed
      return cleaned.lockfile
    })
    return [...unwanted, ...removed]
  }

  return { read, update, clean }
}

function withoutUnspoken(lockfile: Lockfile, { permissions, saysWhatIsWanted }: WorkspaceConfig): Cleaned {
  return saysWhatIsWanted ? withoutUnwanted(lockfile, permissions) : { lockfile, removed: [] }
}

async function readLock(path: string): Promise<Pick<Known, 'stamp' | 'text' | 'found'>> {
  const file = await readPlainFile(path, LOCK_LIMIT_BYTES)
  if (!file) return { stamp: '', text: undefined, found: emptyLockfile }
  const text = file.bytes.toString('utf8')
  return { stamp: file.stamp, text, found: parseLockfile(text, path) }
}

function tellRemoved(removed: readonly LockedEntry[]): string {
  const list = removed.map((entry) => `  ${lockedFqdn(entry)}`).join('\n')
  return `Removed from .pml/mcp.lock, because no allow or ask rule in .pml.json covers it:\n${list}`
}

function frozen(path: string): PmlError {
  return new PmlError('lock_frozen', `Cannot write ${path}: the lockfile is frozen; run it without --frozen`)
}
