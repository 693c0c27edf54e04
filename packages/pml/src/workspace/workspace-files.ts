import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError } from '../machine/files/file-error.ts'

/** Where a workspace keeps what is its own. */
export interface WorkspaceFiles {
  readonly root: string
  /** Written by people. */
  readonly config: string
  /** Written by pml; `mcp.lock` and `servers` in it are meant to be committed, the rest is not. */
  readonly state: string
  readonly lock: string
  /** What is locked of local servers, a file for each. */
  readonly servers: string
  readonly clientId: string
  readonly approvals: string
  /** What servers keep, a folder for each. */
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

/** Makes a folder for one's own files. */
export async function requireFolder(folder: string, mode = 0o755): Promise<void> {
  if (await findFolder(folder)) return
  try {
    await mkdir(folder, { recursive: true, mode })
  } catch (error) {
    throw fileError('use', folder, error)
  }
  await findFolder(folder)
}

/** False where there is none. One that is a link could lead anywhere, so it is refused, and so is a file. */
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
