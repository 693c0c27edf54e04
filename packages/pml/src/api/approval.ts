import type { LockedType, Name, Routing } from '@pml/core/types'
import type { Change, ServerFinding } from '@pml/core/changes'

/** What every request for a person's word has. It is answered once, by its workflow, before it expires. */
interface ApprovalRequired {
  readonly approvalRequired: true
  /** The name, without a hash. */
  readonly fqdn: string
  readonly description: string
  readonly workflowId: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/** The content of an entry is not the one that was locked. */
export interface IntegrityApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'integrity'
  readonly oldHash: string
  readonly newHash: string
  readonly oldIntegrity: string
  readonly newIntegrity: string
  readonly oldFetchedAt: string
  /** Of the new content. */
  readonly type: LockedType
  readonly routing: Routing
  readonly change: Change
  /** Of a local server: what is different, by its kind, the worst first. */
  readonly findings?: readonly ServerFinding[]
  /** `change` as text for a person. */
  readonly diff: string
}

/** Something would be installed or started here for the first time. */
export interface DependencyApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'dependency'
  /** All of what would be started, as a person would type it. */
  readonly commandLine: string
  readonly isPinned: boolean
  readonly package?: string
  readonly version?: string
  readonly lockIntegrity?: string
  /** How many packages come with it. */
  readonly packages?: number
  /** Packages that have install scripts, which are never run. */
  readonly installScripts?: readonly string[]
  /** Files of the project that the command line names, with what is in them. */
  readonly files?: Readonly<Record<string, string>>
  /** What has changed in them since a person agreed to them, as text. */
  readonly diff?: string
}

/** The environment lacks what the server declares to need. */
export interface ApiKeyApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'api_key_required'
  readonly missing: readonly string[]
}

/** The workspace's rules say that this tool is asked about. */
export interface ToolPermissionApprovalRequired extends ApprovalRequired {
  readonly approvalType: 'tool_permission'
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** What is locked of the entry; absent where nothing is yet. */
  readonly lockedIntegrity?: string
}

export type Approval =
  | IntegrityApprovalRequired
  | DependencyApprovalRequired
  | ApiKeyApprovalRequired
  | ToolPermissionApprovalRequired

/** The same before it has a workflow to be answered by. */
export type Question = Approval extends infer One
  ? One extends Approval
    ? Omit<One, 'approvalRequired' | 'workflowId' | 'expiresAt'>
    : never
  : never

/** What was going on when the question came up, to be taken up again when it is answered. */
export type Operation =
  | { readonly kind: 'fetch'; readonly reference: string }
  /** A local server was to be used, by whoever asks again: the answer alone is what is taken up. */
  | { readonly kind: 'open-server'; readonly server: string }
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      /** The entry for which a person has said yes to this one call: by then the tool may mean another. */
      readonly permitted?: Name | undefined
    }
  | { readonly kind: 'add'; readonly reference: string; readonly permitted?: Name | undefined }
