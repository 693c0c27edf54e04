import { realpath } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import type { ClientOptions } from '../api.ts'
import { fileError } from '../files/file-error.ts'
import { openLockStore, type LockStore } from '../lock/lock-store.ts'
import type { Ops } from '../ops.ts'
import { parseSettings, type Settings } from '../settings.ts'
import { findWorkspace } from './find-workspace.ts'
import { openWorkspaceConfig, type WorkspaceConfigFile } from './workspace-config-file.ts'
import { findFolder, workspaceFilesOf, type WorkspaceFiles } from './workspace-files.ts'

/** A workspace by itself: its rules and its lockfile, without the registry and the cache. */
export interface Workspace {
  readonly files: WorkspaceFiles
  readonly config: WorkspaceConfigFile
  readonly lock: LockStore
  /** A missing or different lock entry is an error, and nothing is written. */
  readonly isFrozen: boolean
  readonly settings: Settings
}

export async function openWorkspace(
  { env, cwd, tell }: Pick<Ops, 'env' | 'cwd' | 'tell'>,
  options: Pick<ClientOptions, 'workspace' | 'frozen'>,
): Promise<Workspace> {
  const settings = parseSettings(env)
  const chosen = options.workspace ?? (env['PML_WORKSPACE'] || undefined)
  const files = workspaceFilesOf(await realFolder(chosen ?? (await findWorkspace(cwd))))
  // A link would bring in what is trusted somewhere else, and take out what is written here.
  await findFolder(files.state)
  const config = openWorkspaceConfig(files.config)
  const isFrozen = options.frozen ?? env['CI'] === 'true'
  return { files, config, lock: openLockStore({ files, config, isFrozen, tell }), isFrozen, settings }
}

/** Where it really is: a sandbox that is told of a link would be told of the wrong place. */
async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('use', folder, error)
    throw new PmlError(
      'invalid_config',
      `Cannot use the workspace ${folder}: there is no such folder; make it first`,
    )
  })
}
