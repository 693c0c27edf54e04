import { hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Dirent } from 'node:fs'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { integrityOf, PmlError, type Integrity } from '@pml/core'

/** Every file and link below a folder by its path, sorted, with what it holds: `sha256-…`, ` executable` after it, or `link to …`. */
export type TreeFiles = ReadonlyMap<string, string>

/** Kept beside the tree, and no part of it. */
export const RECORD = 'tree.json'
export const USED = 'used'

/** Others get their turn in between. Reading files one by one is three times faster than handing each to a thread. */
const SLICE_MS = 20

export async function readTreeFiles(folder: string): Promise<TreeFiles> {
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

/** One digest for one tree, wherever it stands. */
export function digestOf(files: TreeFiles): Integrity {
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
  throw refuse(path, 'expected a link to a place in the tree')
}

function refuse(path: string, message: string): PmlError {
  return new PmlError('integrity_mismatch', `Cannot use ${path}: ${message}`, { file: path })
}
