import type { PendingApprovals } from '../workspace/prompts/pending-approvals.ts'
import type { ContentCache } from './content-cache.ts'
import type { ReleaseHistory } from './release-history.ts'
import type { LockStore } from '../workspace/lock-store.ts'
import type { RegistryClient } from './registry-client.ts'
import type { WorkspaceConfigFile } from '../workspace/workspace-config-file.ts'
import type { WorkspaceTrust } from '../workspace/workspace-trust.ts'
import type { WorkspaceFiles } from '../workspace/workspace-files.ts'

/** The parts of a workspace's client. */
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
  /** Only locked and cached entries are used; no request is made. */
  readonly isOffline: boolean
  now(): Date
  /** Prints a message for the person, apart from the results. */
  tell(message: string): void
}
