import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** An item of the cache: a content file, an installed tree, or files of a Deno run. */
export interface Cached {
  readonly path: string
  readonly sizeBytes: number
  readonly usedAt: number
  /** A recently used tree may be running; an item with a temporary name is being written. */
  readonly inUse: 'no' | 'running' | 'writing'
}

export interface CacheFolders {
  readonly content: string
  readonly trees: string
  readonly deno: string
}

const RUNNING_MS = 3_600_000
const WRITING_MS = 600_000

const shardPattern = /^[0-9a-f]{2}$/
const contentPattern = /^[0-9a-f]{64}(?:\.[0-9a-f]{16}\.tmp|\.[0-9a-f]{8}\.gone)?$/
const treePattern = /^(?:[0-9a-f]{64}(?:\.[0-9a-f]{8}\.gone)?|\.installing-\w+)$/
/** Folders of runs, and files from when all runs shared one folder. */
const denoPattern = /^(?:run-\w+|location_data|gen|npm|\w+_cache_v\d+(?:-\w+)?)(?:\.[0-9a-f]{8}\.gone)?$/
const wholePattern = /^[0-9a-f]{64}$/

/** Lists only what pml itself creates: a person may have chosen a cache folder with other files in it. */
export async function listCached({ content, trees, deno }: CacheFolders, now: number): Promise<Cached[]> {
  const found = [listContent(content, now), listTrees(trees, now), listDeno(deno, now)]
  return (await Promise.all(found)).flat()
}

async function listContent(folder: string, now: number): Promise<Cached[]> {
  const shards = (await namesIn(folder)).filter((name) => shardPattern.test(name))
  const found = await Promise.all(
    shards.map(async (shard) => {
      const names = (await namesIn(join(folder, shard))).filter((name) => contentPattern.test(name))
      return Promise.all(names.map((name) => lookAtFile(join(folder, shard, name), { name, now })))
    }),
  )
  return found.flat(2)
}

async function lookAtFile(path: string, { name, now }: { name: string; now: number }): Promise<Cached[]> {
  const info = await lstat(path).catch(() => undefined)
  if (!info) return []
  const isFresh = now - info.mtimeMs < WRITING_MS
  const inUse = name.endsWith('.tmp') && isFresh ? 'writing' : 'no'
  return [{ path, sizeBytes: info.size, usedAt: info.mtimeMs, inUse }]
}

async function listTrees(folder: string, now: number): Promise<Cached[]> {
  const names = (await namesIn(folder)).filter((name) => treePattern.test(name))
  const found = await Promise.all(
    names.map(async (name): Promise<Cached[]> => {
      const path = join(folder, name)
      const used = await lstat(join(path, 'used')).catch(() => lstat(path).catch(() => undefined))
      if (!used) return []
      const inUse = now - used.mtimeMs < RUNNING_MS ? (wholePattern.test(name) ? 'running' : 'writing') : 'no'
      return [{ path, sizeBytes: await sizeOf(path), usedAt: used.mtimeMs, inUse }]
    }),
  )
  return found.flat()
}

async function listDeno(folder: string, now: number): Promise<Cached[]> {
  const names = (await namesIn(folder)).filter((name) => denoPattern.test(name))
  const found = await Promise.all(
    names.map(async (name): Promise<Cached[]> => {
      const path = join(folder, name)
      const info = await lstat(path).catch(() => undefined)
      if (!info) return []
      const inUse = name.startsWith('run-') && now - info.mtimeMs < RUNNING_MS ? 'running' : 'no'
      const sizeBytes = info.isDirectory() ? await sizeOf(path) : info.size
      return [{ path, sizeBytes, usedAt: info.mtimeMs, inUse }]
    }),
  )
  return found.flat()
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Links are not followed: they could lead anywhere. */
async function namesIn(folder: string): Promise<string[]> {
  const info = await lstat(folder).catch(() => undefined)
  return info?.isDirectory() ? readdir(folder).catch(() => []) : []
}
