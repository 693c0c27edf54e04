import { access, constants, readdir, realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'
import { stateHomeOf } from '../../machine/ops.ts'
import { isInside } from '../../machine/files/find-links.ts'

interface DenoPlaces {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Programs in the workspace are ignored: a repository may come from anybody. */
  readonly workspace: string
  /** A file of pml; the npm package `deno` may be installed beside it. */
  readonly own?: string
}

const thisFile = fileURLToPath(import.meta.url)

/** The folder where `pml add --install-deno` installs Deno. */
export function ownDenoFolder({ env, platform }: Pick<DenoPlaces, 'env' | 'platform'>): string {
  return join(stateHomeOf(env, platform), 'deno')
}

/** The Deno programs in a folder: npm installs only the package for this platform. */
export async function findInstalled(folder: string, platform: NodeJS.Platform): Promise<string[]> {
  const packages = join(folder, 'node_modules', '@deno')
  const names = await readdir(packages).catch(() => [])
  const paths = names.map((name) => join(packages, name, platform === 'win32' ? 'deno.exe' : 'deno'))
  const found = await Promise.all(paths.map(async (path) => ((await isProgram(path)) ? [path] : [])))
  return found.flat()
}

/** `PML_DENO`, then PATH, then the npm package `deno` beside pml, or as `pml add` installs it. */
export async function findDeno({ env, platform, workspace, own = thisFile }: DenoPlaces): Promise<string> {
  const chosen = env['PML_DENO']?.trim()
  const file = platform === 'win32' ? 'deno.exe' : 'deno'
  if (chosen) {
    if (isAbsolute(chosen) && (await isProgram(chosen))) return chosen
    throw new PmlError(
      'missing_program',
      `Cannot start Deno: PML_DENO is ${chosen}, which is not a program; set it to the absolute path of Deno, or unset it and run "npm install -g deno"`,
    )
  }
  const onPath = await findOnPath(env['PATH'] ?? '', { file, workspace })
  if (onPath !== undefined) return onPath
  for (const folder of packageFolder(own)) {
    const path = join(folder, file)
    if (await isProgram(path)) return path
  }
  const [ours] = await findInstalled(ownDenoFolder({ env, platform }), platform)
  if (ours !== undefined) return ours
  throw new PmlError(
    'missing_program',
    'Cannot start Deno: it is not installed; run "npm install -g deno", or set PML_DENO to its path',
  )
}

/** Skips relative folders and folders of the repository, which "npx" puts at the front of PATH. */
async function findOnPath(
  path: string,
  { file, workspace }: { file: string; workspace: string },
): Promise<string | undefined> {
  const root = await realpath(workspace).catch(() => resolve(workspace))
  const isForeign = (place: string) => isInside(place, resolve(workspace)) || isInside(place, root)
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const program = join(folder, file)
    if (isForeign(program) || !(await isProgram(program))) continue
    if (!isForeign(await realpath(program))) return program
  }
  return undefined
}

function packageFolder(from: string): string[] {
  try {
    return [dirname(createRequire(from).resolve('deno/package.json'))]
  } catch {
    return []
  }
}

async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return false
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
