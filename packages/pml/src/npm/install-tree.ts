import { mkdir, mkdtemp, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson, integrityOf, PmlError } from '@pml/core'
import { parseLockedTree, type Pin } from '@pml/core/pins'
import type { Kill } from '../machine/owned-process.ts'
import { runNpm, type Npm, type NpmFailure } from './run-npm.ts'
import { removeTree, sealTree } from '../machine/files/seal-tree.ts'
import {
  findTree,
  folderOf,
  recordTree,
  type InstalledTree,
  type TreeName,
  type TreeStore,
} from './tree-store.ts'

interface LockedTree extends TreeName {
  /** A package-lock.json in canonical JSON, whose SHA-256 is `integrity`. */
  readonly lock: Uint8Array
}

interface InstallOptions {
  readonly npm: Npm
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly kill: Kill
  /** Reports progress in a sentence. */
  tell(sentence: string): void
}

const TEMPORARY = '.installing-'
/** Longer than any installation. */
const OLD_MS = 3_600_000

/** These flags override the user's settings: the tree is exactly the lock's, and none of its scripts run. */
const command = [
  'ci',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--install-links=false',
  '--no-bin-links',
  '--install-strategy=hoisted',
  '--legacy-peer-deps=false',
  '--package-lock',
  '--package-lock-only=false',
  '--dry-run=false',
  '--global=false',
  '--no-update-notifier',
  '--no-progress',
  '--loglevel=error',
]

/** Installs the tree of a lock unless it is installed. With several processes at once, one complete tree appears. */
export async function installTree(
  store: TreeStore,
  tree: LockedTree,
  options: InstallOptions,
): Promise<InstalledTree> {
  const pin = parseTree(tree)
  const found = await findTree(store, tree)
  if (found !== undefined) return found
  try {
    await mkdir(store.folder, { recursive: true, mode: 0o700 })
    await removeOld(store)
    const folder = await mkdtemp(join(store.folder, TEMPORARY))
    try {
      await fill(folder, { pin, lock: tree.lock, options })
      await rename(folder, folderOf(store, tree.integrity)).catch(unlessTaken)
    } finally {
      await removeTree(folder)
    }
  } catch (error) {
    throw fileError(error, store.folder)
  }
  const installed = await findTree(store, tree)
  if (installed !== undefined) return installed
  throw new PmlError(
    'install_failed',
    `Cannot install ${pin.package}: ${store.folder} was emptied during the installation`,
  )
}

/** Hashes the lock before parsing it, and checks it by every rule before npm sees it. */
function parseTree({ lock, integrity, bin }: LockedTree): Pin {
  const found = integrityOf(lock)
  if (found !== integrity)
    throw new PmlError(
      'integrity_mismatch',
      `Cannot install from a lock: expected ${integrity}, got ${found}`,
      {
        file: 'package-lock.json',
        expected: integrity,
        found,
      },
    )
  const text = new TextDecoder('utf-8', { fatal: true }).decode(lock)
  const pin = parseLockedTree(text, bin)
  if (canonicalJson(pin.lock) === text) return pin
  throw new PmlError('invalid_config', 'Cannot install from a lock: expected canonical JSON')
}

async function fill(
  folder: string,
  { pin, lock, options }: { pin: Pin; lock: Uint8Array; options: InstallOptions },
): Promise<void> {
  const { npm, tell, ...more } = options
  const count = Object.keys(pin.lock.packages).length - 1
  tell(`Installing ${pin.package} ${pin.version}, ${count} packages`)
  const manifest = { ...pin.lock.packages[''], private: true }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'package-lock.json'), lock)
  const failure = await runNpm(npm, command, { ...more, cwd: folder })
  if (failure !== undefined) throw npmError(failure, { pin, npm, folder })
  await recordTree(folder)
  await sealTree(folder)
}

/** Removes what killed installations left behind. */
async function removeOld({ folder }: TreeStore): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEMPORARY))
  for (const name of names) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (Date.now() - mtimeMs > OLD_MS) await removeTree(path)
  }
}

/** Ignores that another process installed the same tree first. */
function unlessTaken(error: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code ?? '')) throw error
}

const unreachable =
  /^(?:E(?:NOTFOUND|CONN\w+|TIMEDOUT|AI_AGAIN|NETUNREACH|HOSTUNREACH|PROTO|NOTCACHED|SOCKETTIMEOUT|[45]\d\d|TARGET)|ERR_SOCKET_TIMEOUT|FETCH_ERROR|TIMEOUT|.*CERT.*|UNABLE_TO_\w+|DEPTH_ZERO\w+)$/
const disk: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'it is not a folder',
}

/** Turns a failure of npm into an error for the person. */
function npmError(
  failure: NpmFailure,
  { pin, npm, folder }: { pin: Pin; npm: Npm; folder: string },
): PmlError {
  const { code, reason } = failure
  const cannot = `Cannot install ${pin.package} ${pin.version}`
  if (code === 'CANCELLED') return new PmlError('cancelled', `${cannot}: it was cancelled`)
  if (code === 'EINTEGRITY') return mismatch(reason, { pin, cannot })
  if (code === 'ENOENT' && reason.startsWith('spawn'))
    return new PmlError('install_failed', `${cannot}: there is no npm at ${npm.command}`)
  if (disk[code] !== undefined)
    return new PmlError(
      'install_failed',
      `${cannot}: npm cannot write to ${folder} or its cache, ${disk[code]}`,
    )
  if (unreachable.test(code))
    return new PmlError('unavailable', `${cannot}: npm's registry did not serve it, ${code}: ${reason}`)
  return new PmlError('install_failed', `${cannot}: npm failed with ${code}: ${reason}`)
}

/** Turns a file system error into an `install_failed`; a PmlError stays as it is. */
function fileError(error: unknown, folder: string): Error {
  if (error instanceof PmlError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new PmlError('install_failed', `Cannot install into ${folder}: ${disk[code] ?? message}`)
}

/** npm names the two hashes; the lock tells which package the expected one belongs to. */
function mismatch(reason: string, { pin, cannot }: { pin: Pin; cannot: string }): PmlError {
  const [, expected = '', found = ''] =
    /wanted (sha512-\S+) but got (sha512-\S+?)[.\s]/.exec(`${reason} `) ?? []
  const [location = '', entry] =
    Object.entries(pin.lock.packages).find(([, { integrity }]) => integrity === expected) ?? []
  const name = location.replace(/^.*node_modules\//, '')
  if (entry === undefined) return new PmlError('integrity_mismatch', `${cannot}: ${reason}`)
  return new PmlError(
    'integrity_mismatch',
    `${cannot}: ${name} ${entry.version} differs from the pinned one, expected ${expected}, got ${found}`,
    { package: name, version: entry.version, expected, found },
  )
}
