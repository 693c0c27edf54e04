import { printLockfile, type Lockfile } from '@pml/core'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agreeTo } from '../../packages/pml/test/agree-to.ts'
import type { Stops } from '../stops.ts'
import { makeTempFolder } from '../temp-folder.ts'

/** A workspace with its own cache. */
export interface BenchWorkspace {
  readonly root: string
  readonly lockFile: string
  readonly cacheDir: string
  /** A minimal environment, without the settings of the machine. */
  readonly env: Readonly<Record<string, string>>
}

interface Content {
  readonly allow: readonly string[]
  readonly lockfile?: Lockfile
}

export async function makeBenchWorkspace(
  stops: Stops,
  { allow, lockfile }: Content,
): Promise<BenchWorkspace> {
  const folder = await makeTempFolder(stops)
  const root = join(folder, 'work')
  const lockFile = join(root, '.pml', 'mcp.lock')
  const cacheDir = join(folder, 'cache')
  await mkdir(join(root, '.pml'), { recursive: true })
  await writeFile(join(root, '.pml.json'), JSON.stringify({ version: 1, permissions: { allow } }, null, 2))
  if (lockfile) await writeFile(lockFile, printLockfile(lockfile))
  const { PATH = '' } = process.env
  const env = { PATH, HOME: folder, PML_CACHE_DIR: cacheDir }
  await agreeTo(root, env)
  return { root, lockFile, cacheDir, env }
}
