import { realpath } from 'node:fs/promises'
import { PmlError } from '@pml/core'
import type { ClientOptions } from '../api/pml.ts'
import { fileError } from '../machine/files/file-error.ts'
import { openLockStore, type LockStore } from './lock-store.ts'
import type { Ops } from '../machine/ops.ts'
import { parseSettings, type Settings } from '../machine/settings.ts'
import { findWorkspace, findFolder, workspaceFilesOf, type WorkspaceFiles } from './workspace-files.ts'
import { openWorkspaceConfig, type WorkspaceConfigFile } from './workspace-config-file.ts'
import { openWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts'

/** A workspace by itself: its rules and its lockfile, without the registry and the cache. */
export interface Workspace {
  readonly files: WorkspaceFiles
  readonly config: WorkspaceConfigFile
  /** What the person has agreed to of it. */
  readonly trust: WorkspaceTrust
  readonly lock: LockStore
  /** A missing or different lock entry is an error, and nothing is written. */
  readonly isFrozen: boolean
  readonly settings: Settings
}

export async function openWorkspace(
  ops: Pick<Ops, 'env' | 'platform' | 'cwd' | 'tell' | 'pid' | 'user'>,
  options: Pick<ClientOptions, 'workspace' | 'frozen'>,
): Promise<Workspace> {
  const { env, platform, cwd, tell } = ops
  const settings = parseSettings(env)
  const chosen = options.workspace ?? (env['PML_WORKSPACE'] || undefined)
  const files = workspaceFilesOf(await realFolder(chosen ?? (await findWorkspace(cwd))))
  // A link would bring in what is trusted somewhere else, and take out what is written here.
  await findFolder(files.state)
  const trust = openWorkspaceTrust(files, { env, platform, ...(await findOperator(ops, settings)) })
  const config = openWorkspaceConfig(files.config, trust)
  const isFrozen = options.frozen ?? env['CI'] === 'true'
  const lock = openLockStore({ files, config, isFrozen, tell })
  return { files, config, trust, lock, isFrozen, settings }
}

/** Whether the operator of the machine answers for its workspaces; an agent that says so itself is named. */
export async function findOperator(
  ops: Pick<Ops, 'env' | 'platform' | 'pid' | 'user'>,
  { isWorkspaceTrusted }: Pick<Settings, 'isWorkspaceTrusted'>,
): Promise<Pick<WorkspaceTrust, 'isGivenByOperator' | 'isClaimedBy'>> {
  if (!isWorkspaceTrusted) return { isGivenByOperator: false, isClaimedBy: undefined }
  const { findOtherSetter } = await import('../machine/person/prove-person.ts')
  const isClaimedBy = findOtherSetter('PML_TRUST_WORKSPACE', ops)
  return { isGivenByOperator: isClaimedBy === undefined, isClaimedBy }
}

/** Where it really is: a sandbox that is told of a link would be told of the wrong place. */
export async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('use', folder, error)
    throw new PmlError(
      'invalid_config',
      `Cannot use the workspace ${folder}: there is no such folder; make it first`,
    )
  })
}
