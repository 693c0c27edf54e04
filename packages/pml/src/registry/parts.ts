import type { PendingApprovals } from '../workspace/prompts/pending-approvals.ts'
import type { ContentCache } from './content-cache.ts'
import type { ReleaseHistory } from './release-history.ts'
import type { LockStore } from '../workspace/lock-store.ts'
import type { RegistryClient } from './registry-client.ts'
import type { WorkspaceConfigFile } from '../workspace/workspace-config-file.ts'
import type { WorkspaceTrust } from '../workspace/workspace-trust.ts'
import type { WorkspaceFiles } from '../workspace/workspace-files.ts'

/** What a workspace's client is made of. */
export interface Parts {
  readonly files: WorkspaceFiles
  readonly config: WorkspaceConfigFile
  readonly trust: WorkspaceTrust
  readonly lock: LockStore
  readonly cache: ContentCache
  readonly registry: RegistryClient
  readonly approvals: PendingApprovals
  readonly history: ReleaseHistory
  /** A missing or different lock entry is an error, and nothing is written. */
  readonly isFrozen: boolean
  /** The registry is not asked: what is locked and cached is used as it is. */
  readonly isOffline: boolean
  now(): Date
  /** A message for the person, beside the results. */
  tell(message: string): void
}
