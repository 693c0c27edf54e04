import { access, constants, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PmlError } from '@pml/core'

export interface DenoPlaces {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Where an installed npm package `deno` is looked for. */
  readonly workspace: string
  /** A file of pml itself, beside which the package may be installed too. */
  readonly own?: string
}

const thisFile = fileURLToPath(import.meta.url)

/** `PML_DENO`, then PATH, then the npm package `deno` of the workspace or beside pml. */
export async function findDeno({ env, platform, workspace, own = thisFile }: DenoPlaces): Promise<string> {
  const chosen = env['PML_DENO']?.trim()
  const file = platform === 'win32' ? 'deno.exe' : 'deno'
  if (chosen) {
    if (await isProgram(chosen)) return chosen
    throw new PmlError(
      'missing_program',
      `Cannot start Deno: PML_DENO names ${chosen}, which is no program; set it to the path of Deno, or unset it and run "npm install -g deno"`,
    )
  }
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, file))
  const installed = [join(workspace, 'package.json'), own].flatMap((from) => packageFolder(from))
  for (const path of [...onPath, ...installed.map((folder) => join(folder, file))])
    if (await isProgram(path)) return path
  throw new PmlError(
    'missing_program',
    'Cannot start Deno: it is not installed; run "npm install -g deno" (or "npm install deno" in the workspace), or set PML_DENO to its path',
  )
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
