import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hexOf, PmlError, type Integrity } from '@pml/core'
import { sealTree } from '../machine/files/seal-tree.ts'
import { digestOf, readTreeFiles, RECORD, USED, type TreeFiles } from './tree-files.ts'

/** Where installed trees are kept, each in a folder named after the hash of its lock. */
export interface TreeStore {
  readonly folder: string
}

/** Which tree, and what to start in it. */
export interface TreeName {
  /** Of the lock that it was installed from. */
  readonly integrity: Integrity
  /** Below the folder of the tree, with `/`. */
  readonly bin: string
}

export interface InstalledTree {
  readonly folder: string
  /** The file to start with Node. */
  readonly binPath: string
  /** Of every file in it. */
  readonly digest: Integrity
}

interface TreeRecord {
  readonly digest: Integrity
  readonly files: TreeFiles
}

export function folderOf({ folder }: TreeStore, integrity: Integrity): string {
  return join(folder, hexOf(integrity))
}

/** The tree of a lock if it is installed, marked as used now. Its files are as they are: call `verifyTree` before one is started. */
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
 * What a server may have left in its own package, where an older version let it write. Node loads none of it unless the
 * code, which is verified, asks for that very file.
 */
const data = /\.(?:jsonl|ndjson|log|csv|db|sqlite3?)$/

/** What a whole tree was installed with; undefined where there is none, or nobody can tell any more. */
export async function findRecordedFiles(folder: string): Promise<TreeFiles | undefined> {
  return (await findRecord(folder).catch(() => undefined))?.files
}

/** Refuses a tree in which any file is other than it was when it was installed, is missing, or is new and more than data. */
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
  // Who may not change its modes has it from somebody else, and may not write into it either.
  await sealTree(folder).catch(() => undefined)
}

/** Writes down what was installed, so that it can be told when it is no longer that. */
export async function recordTree(folder: string): Promise<Integrity> {
  const files = await readTreeFiles(folder)
  const digest = digestOf(files)
  await writeFile(join(folder, RECORD), JSON.stringify({ digest, files: [...files] }))
  await writeFile(join(folder, USED), '')
  return digest
}

/** A record is part of what appears at once; one that is not whole was changed afterwards. */
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

/** For those who remove what was not used for long. A store that cannot be written is still of use. */
async function touch(file: string): Promise<void> {
  const now = new Date()
  await utimes(file, now, now).catch(() => {})
}
