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

/** A workspace without the registry and the cache: its rules and its lockfile. */
export interface Workspace {
  readonly files: WorkspaceFiles
  readonly config: WorkspaceConfigFile
  /** What the person has agreed to in `.pml.json`. */
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
  // A link could bring in a foreign lockfile and lead writes out of the workspace.
  await findFolder(files.state)
  const trust = openWorkspaceTrust(files, { env, platform, ...(await findOperator(ops, settings)) })
  const config = openWorkspaceConfig(files.config, trust)
  const isFrozen = options.frozen ?? env['CI'] === 'true'
  const lock = openLockStore({ files, config, isFrozen, tell })
  return { files, config, trust, lock, isFrozen, settings }
}

/** Whether the operator trusts all workspaces. If an agent set the variable, the agent is named and it does not count. */
export async function findOperator(
  ops: Pick<Ops, 'env' | 'platform' | 'pid' | 'user'>,
  { isWorkspaceTrusted }: Pick<Settings, 'isWorkspaceTrusted'>,
): Promise<Pick<WorkspaceTrust, 'isGivenByOperator' | 'isClaimedBy'>> {
  if (!isWorkspaceTrusted) return { isGivenByOperator: false, isClaimedBy: undefined }
  const { findOtherSetter } = await import('../machine/person/prove-person.ts')
  const isClaimedBy = findOtherSetter('PML_TRUST_WORKSPACE', ops)
  return { isGivenByOperator: isClaimedBy === undefined, isClaimedBy }
}

/** Resolves links: a sandbox must get the real path. */
export async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileError('use', folder, error)
    throw new PmlError(
      'invalid_config',
      `Cannot use the workspace ${folder}: there is no such folder; create it first`,
    )
  })
}
