import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join, dirname, isAbsolute, normalize } from 'node:path'
import { hexOf, PmlError, type Integrity, integrityOf } from '@pml/core'
import { sealTree } from '../machine/files/seal-tree.ts'
import { hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Dirent } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'

/** The folder of installed trees, each in a folder named after the hash of its lock. */
export interface TreeStore {
  readonly folder: string
}

/** A tree, and the file to start in it. */
export interface TreeName {
  /** The integrity of the lock that it is installed from. */
  readonly integrity: Integrity
  /** Relative to the tree, with `/`. */
  readonly bin: string
}

export interface InstalledTree {
  readonly folder: string
  /** The file to start with Node. */
  readonly binPath: string
  /** The digest of all files in it. */
  readonly digest: Integrity
}

interface TreeRecord {
  readonly digest: Integrity
  readonly files: TreeFiles
}

export function folderOf({ folder }: TreeStore, integrity: Integrity): string {
  return join(folder, hexOf(integrity))
}

/** The tree of a lock if it is installed, marked as used now. Its files are not checked: call `verifyTree` before starting one. */
export async function findTree(
  store: TreeStore,
  { integrity, bin }: TreeName,
): Promise<InstalledTree | undefined> {
  const folder = folderOf(store, integrity)
  const record = await findRecord(folder)
  if (record === undefined) return undefined
  if (!record.files.has(bin))
    throw new PmlError('invalid_config', `Cannot start ${bin}: there is no such file in ${folder}`)
  await touch(join(folder, USED))
  return { folder, binPath: join(folder, bin), digest: record.digest }
}

/**
 * Data that a server may have left in its own package, where an older version let it write. Node loads none of it unless
 * the verified code asks for that very file.
 */
const data = /\.(?:jsonl|ndjson|log|csv|db|sqlite3?)$/

/** The files that a tree was installed with; undefined if there is no readable record. */
export async function findRecordedFiles(folder: string): Promise<TreeFiles | undefined> {
  return (await findRecord(folder).catch(() => undefined))?.files
}

/** Throws if a file of the tree was changed or removed since its installation, or added and is not data. */
export async function verifyTree({ folder, digest }: InstalledTree): Promise<void> {
  const record = await findRecord(folder)
  if (record?.digest !== digest)
    throw changed(folder, { file: RECORD, expected: digest, found: record?.digest ?? 'nothing' })
  const found = await readTreeFiles(folder)
  for (const file of new Set([...record.files.keys(), ...found.keys()])) {
    const [expected, actual] = [record.files.get(file) ?? 'nothing', found.get(file) ?? 'nothing']
    const isNewData = expected === 'nothing' && data.test(file) && /^sha256-\w+$/.test(actual)
    if (expected !== actual && !isNewData) throw changed(folder, { file, expected, found: actual })
  }
  // A user who may not change the modes of the tree may not write to it either.
  await sealTree(folder).catch(() => undefined)
}

/** Records what was installed, so that changes can be detected. */
export async function recordTree(folder: string): Promise<Integrity> {
  const files = await readTreeFiles(folder)
  const digest = digestOf(files)
  await writeFile(join(folder, RECORD), JSON.stringify({ digest, files: [...files] }))
  await writeFile(join(folder, USED), '')
  return digest
}

/** The record appears together with the tree, so an incomplete one was changed afterwards. */
async function findRecord(folder: string): Promise<TreeRecord | undefined> {
  const file = join(folder, RECORD)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new PmlError('install_failed', `Cannot read ${file}: ${error.code}`)
  })
  if (text === undefined) return undefined
  const { digest, files } = parseRecord(text)
  const found = digestOf(files)
  if (digest !== found) throw changed(folder, { file: RECORD, expected: digest ?? 'a digest', found })
  return { digest: found, files }
}

function parseRecord(text: string): { digest?: string; files: TreeFiles } {
  try {
    const { digest, files } = JSON.parse(text) as { digest: string; files: [string, string][] }
    return { digest, files: new Map(files) }
  } catch {
    return { files: new Map() }
  }
}

function changed(
  folder: string,
  { file, expected, found }: { file: string; expected: string; found: string },
): PmlError {
  return new PmlError(
    'integrity_mismatch',
    `Cannot use ${join(folder, file)}: expected ${expected}, got ${found}; it was changed after it was installed, run "pml cache clean" to install it again`,
    { file, expected, found },
  )
}

/** Marks the tree as used, for cache cleaning. A read-only store still works. */
async function touch(file: string): Promise<void> {
  const now = new Date()
  await utimes(file, now, now).catch(() => {})
}

/** All files and links below a folder, sorted by path: `sha256-…`, `sha256-… executable` or `link to …`. */
type TreeFiles = ReadonlyMap<string, string>

/** Stored beside the tree and not part of it. */
export const RECORD = 'tree.json'
export const USED = 'used'

/** After this time other work gets a turn. Synchronous reads are three times faster than one thread pool job per file. */
const SLICE_MS = 20

async function readTreeFiles(folder: string): Promise<TreeFiles> {
  const files: [string, string][] = []
  let since = performance.now()
  for (const file of filesBelow(folder, '')) {
    files.push(file)
    if (performance.now() - since < SLICE_MS) continue
    await breathe()
    since = performance.now()
  }
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The digest of a tree, independent of its location. */
function digestOf(files: TreeFiles): Integrity {
  return integrityOf(Buffer.from(JSON.stringify([...files])))
}

function* filesBelow(root: string, below: string): Generator<[string, string]> {
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(root, path)
    else if (path !== RECORD && path !== USED) yield [path, contentOf(root, path, entry)]
  }
}

function contentOf(root: string, path: string, entry: Dirent): string {
  const file = join(root, path)
  if (entry.isSymbolicLink()) return `link to ${requireInside(path, readlinkSync(file))}`
  if (!entry.isFile()) throw refuse(path, 'expected a file, a folder or a link')
  const isExecutable = (lstatSync(file).mode & 0o111) !== 0
  return `sha256-${hash('sha256', readFileSync(file), 'hex')}${isExecutable ? ' executable' : ''}`
}

function requireInside(path: string, target: string): string {
  const leads = normalize(join(dirname(path), target))
  if (!isAbsolute(target) && !/^\.\.(?:[/\\]|$)/.test(leads)) return target
  throw refuse(path, 'expected a link to a path in the tree')
}

function refuse(path: string, message: string): PmlError {
  return new PmlError('integrity_mismatch', `Cannot use ${path}: ${message}`, { file: path })
}
