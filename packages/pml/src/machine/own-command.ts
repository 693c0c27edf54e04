import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PACKAGE_FOLDER } from './package-name.ts'

/** The path of the script that the `pml` command runs. */
export function ownCommand(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'bin', 'pml.js'))) folder = dirname(folder)
  return join(folder, 'bin', 'pml.js')
}

/** The same for a pml installed in a project, relative to the project; undefined if none is. */
export async function findInProject(root: string): Promise<string | undefined> {
  const parts = [...PACKAGE_FOLDER, 'bin', 'pml.js']
  return access(join(root, ...parts)).then(
    () => parts.join('/'),
    () => undefined,
  )
}
