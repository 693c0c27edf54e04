import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** The nearest folder upwards that has a `.pml.json` or a `.pml/mcp.lock`; without one the folder itself. */
export async function findWorkspace(from: string): Promise<string> {
  const start = resolve(from)
  for (let folder = start; ; folder = dirname(folder)) {
    for (const mark of ['.pml.json', join('.pml', 'mcp.lock')])
      if (await exists(join(folder, mark))) return folder
    if (folder === dirname(folder)) return start
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
