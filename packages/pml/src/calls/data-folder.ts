import { lstat, opendir, readlink } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { PmlError, type ServerState } from '@pml/core'
import { requireFolder, type WorkspaceFiles } from '../workspace/workspace-files.ts'

interface DataFolder {
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

/** Creates the data folder of a server in this workspace. Returns the variable or arguments that name it. */
export async function dataFolderFor(
  { files }: { readonly files: WorkspaceFiles },
  { server, state }: { readonly server: string; readonly state: ServerState | undefined },
): Promise<DataFolder> {
  if (state === undefined) return { env: {}, args: [] }
  const folder = join(files.serverState, server)
  // A repository may contain links at these paths.
  for (const each of [files.state, files.serverState]) await requireFolder(each)
  await requireFolder(folder, 0o700)
  const path = state.file === undefined ? folder : await requirePlain(join(folder, state.file))
  await requireNoWayOut(folder)
  if (state.env !== undefined) return { env: { [state.env]: path }, args: [] }
  const { argument = '' } = state
  return { env: {}, args: argument.endsWith('=') ? [`${argument}${path}`] : [argument, path] }
}

/** Throws for a link that leads out of the folder. Relative links without `..` stay inside. */
async function requireNoWayOut(folder: string): Promise<void> {
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isSymbolicLink()) continue
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    if (!isAbsolute(target) && !target.split(/[/\\]/).includes('..')) continue
    throw new PmlError(
      'tool_failed',
      `Cannot let a server write to ${folder}: ${relative(folder, link)} is a symbolic link that leads out of it; remove it`,
    )
  }
}

async function requirePlain(path: string): Promise<string> {
  const info = await lstat(path).catch(() => undefined)
  if (!info || info.isFile()) return path
  throw new PmlError('tool_failed', `Cannot let a server write to ${path}: expected a plain file; remove it`)
}
