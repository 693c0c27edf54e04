import { basename, join } from 'node:path'
import { newWorkspaceConfig, parseWorkspaceConfig } from '@pml/core'
import { readPlainFile } from '../files/read-plain-file.ts'
import { writeAtomically } from '../files/write-atomically.ts'
import { clientIdOf } from '../workspace/client-id.ts'
import { requireFolder, workspaceFilesOf } from '../workspace/workspace-files.ts'

export interface Initialised {
  readonly workspace: string
  readonly created: readonly string[]
}

const LIMIT_BYTES = 1024 * 1024

/** Begins a workspace here; what is there already stays as it is. */
export async function initWorkspace(root: string, registry: string | undefined): Promise<Initialised> {
  const files = workspaceFilesOf(root)
  const config = await readPlainFile(files.config, LIMIT_BYTES)
  if (config) parseWorkspaceConfig(config.bytes.toString('utf8'), files.config)
  await requireFolder(files.state)
  await clientIdOf(files)
  const created: string[] = []
  if (!config) {
    await writeAtomically(files.config, newWorkspaceConfig(basename(root), registry), { mode: 0o644 })
    created.push('.pml.json')
  }
  if (await ignoreState(root)) created.push('.gitignore')
  return { workspace: root, created }
}

/** The lockfile is to be committed; the rest of `.pml/` is of this machine. */
const wanted = ['.pml/*', '!.pml/mcp.lock']
const hidesLock = (line: string) => /^\/?\.pml(?:\/?|\/mcp\.lock|\/\*\*)$/.test(line.trim())

/** True when the file was changed. The exception must stand after every rule that it is an exception of. */
async function ignoreState(root: string): Promise<boolean> {
  const path = join(root, '.gitignore')
  const file = await readPlainFile(path, LIMIT_BYTES)
  const lines = (file?.bytes.toString('utf8') ?? '').split('\n')
  const rest = lines.slice(lines.indexOf('.pml/*'))
  const isRight =
    rest[0] === '.pml/*' && rest[1] === '!.pml/mcp.lock' && !rest.some((line) => line.trim() === '*.lock')
  if (isRight && !lines.some(hidesLock)) return false
  const kept = lines.filter((line) => !hidesLock(line) && !wanted.includes(line.trim()))
  while (kept.at(-1) === '') kept.pop()
  await writeAtomically(path, [...kept, ...wanted, ''].join('\n'), { mode: 0o644 })
  return true
}
