import { lstat, mkdir, stat, realpath } from 'node:fs/promises'
import { join, dirname, resolve } from 'node:path'
import { fileError } from '../machine/files/file-error.ts'
import type { Ops } from '../machine/ops.ts'

/** The paths of a workspace's own files. */
export interface WorkspaceFiles {
  readonly root: string
  /** Written by people. */
  readonly config: string
  /** Written by pml. Only `mcp.lock` and `servers` in it are meant to be committed. */
  readonly state: string
  readonly lock: string
  /** The locked listings of local servers, one file each. */
  readonly servers: string
  readonly clientId: string
  readonly approvals: string
  /** Data of servers, one folder each. */
  readonly serverState: string
}

export function workspaceFilesOf(root: string): WorkspaceFiles {
  const state = join(root, '.pml')
  return {
    root,
    config: join(root, '.pml.json'),
    state,
    lock: join(state, 'mcp.lock'),
    servers: join(state, 'servers'),
    clientId: join(state, 'client-id'),
    approvals: join(state, 'approvals'),
    serverState: join(state, 'state'),
  }
}

/** Creates a folder for pml's own files. */
export async function requireFolder(folder: string, mode = 0o755): Promise<void> {
  if (await findFolder(folder)) return
  try {
    await mkdir(folder, { recursive: true, mode })
  } catch (error) {
    throw fileError('use', folder, error)
  }
  await findFolder(folder)
}

/** Whether the folder exists. Throws for a symbolic link, which could lead anywhere, and for a file. */
export async function findFolder(folder: string): Promise<boolean> {
  try {
    const info = await lstat(folder)
    if (info.isSymbolicLink()) throw Object.assign(new Error(), { code: 'ELOOP' })
    if (!info.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw fileError('use', folder, error)
  }
}

/** The nearest folder upwards with a `.pml.json` or a `.pml/mcp.lock`; without one, the folder itself. */
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

export interface ProjectContext {
  readonly ops: Ops
  /** The workspace given on the command line, if any. */
  readonly workspace: string | undefined
}

/** The folder of the project, with links resolved. */
export async function projectFolderOf({ ops, workspace }: ProjectContext): Promise<string> {
  const folder = workspace ?? (ops.env['PML_WORKSPACE'] || (await findWorkspace(ops.cwd)))
  return realpath(folder).catch((error: unknown) => {
    throw fileError('use', folder, error)
  })
}
