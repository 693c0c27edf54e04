import type { LockedType, Name, Routing } from '@pml/core/types'
import type { Change, ServerFinding } from '@pml/core/changes'

/** The common part of all prompts. A prompt is answered once, by its workflow id, before it expires. */
interface ApprovalRequired {
  readonly approvalRequired: true
  /** The name, without a hash. */
  readonly fqdn: string
  readonly description: string
  readonly workflowId: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/** The content of an entry differs from the locked one. */
export interface IntegrityApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'integrity'
  readonly oldHash: string
  readonly newHash: string
  readonly oldIntegrity: string
  readonly newIntegrity: string
  readonly oldFetchedAt: string
  /** The type of the new content. */
  readonly type: LockedType
  readonly routing: Routing
  readonly change: Change
  /** For a local server: the differences by kind, the worst first. */
  readonly findings?: readonly ServerFinding[]
  /** `change` as text for a person. */
  readonly diff: string
}

/** Something would be installed or started here for the first time. */
export interface DependencyApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'dependency'
  /** The whole command line, as a person would type it. */
  readonly commandLine: string
  readonly isPinned: boolean
  readonly package?: string
  readonly version?: string
  readonly lockIntegrity?: string
  /** How many packages come with it. */
  readonly packages?: number
  /** Packages with install scripts, which never run. */
  readonly installScripts?: readonly string[]
  /** Project files that the command line names, with the integrity of their content. */
  readonly files?: Readonly<Record<string, string>>
  /** Changes in those files since the consent, as text. */
  readonly diff?: string
}

/** The environment lacks variables that the server declares. */
export interface ApiKeyApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'api_key_required'
  readonly missing: readonly string[]
}

/** A rule of the workspace requires approval of this tool. */
export interface ToolPermissionApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'tool_permission'
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The locked integrity of the entry; absent if it is not locked. */
  readonly lockedIntegrity?: string
}

export type Approval =
  | IntegrityApprovalRequired
  | DependencyApprovalRequired
  | ApiKeyApprovalRequired
  | ToolPermissionApprovalRequired

/** A prompt before it has a workflow id. */
export type Question = Approval extends infer One
  ? One extends Approval
    ? Omit<One, 'approvalRequired' | 'workflowId' | 'expiresAt'>
    : never
  : never

/** The operation that a prompt interrupted, to be resumed after the answer. */
export type Operation =
  | { readonly kind: 'fetch'; readonly reference: string }
  /** A local server was about to be used. Only the answer is stored; the caller tries again. */
  | { readonly kind: 'open-server'; readonly server: string }
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      /** The entry for which a person approved this call: the tool may mean another entry later. */
      readonly permitted?: Name | undefined
    }
  | { readonly kind: 'add'; readonly reference: string; readonly permitted?: Name | undefined }
