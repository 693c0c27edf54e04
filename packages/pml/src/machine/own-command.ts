import { existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The file that `pml` on the command line runs, beside which this is installed. */
export function ownCommand(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'bin', 'pml.js'))) folder = dirname(folder)
  return join(folder, 'bin', 'pml.js')
}

/** The same file of a pml that is installed in a project, from its folder; undefined where none is. */
export async function findInProject(root: string): Promise<string | undefined> {
  const parts = ['node_modules', 'pml', 'bin', 'pml.js']
  return access(join(root, ...parts)).then(
    () => parts.join('/'),
    () => undefined,
  )
}
