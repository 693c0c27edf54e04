import type { Fqdn, Integrity, LockedType, Name, Routing } from '@pml/core/types'
import type { Approval } from './approval.ts'

/** What users of the library see; it stands here alone, so that their compilers read little. */

export interface CallOptions {
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly signal?: AbortSignal
}

export interface FetchOptions {
  /** The answer to an approval that an earlier fetch asked for. */
  readonly continueWorkflow?: ContinueWorkflow
}

/** A workspace and its registry: fetch what is verified, call what is allowed, answer what is asked. */
export interface Pml {
  readonly workspace: string
  /** A name, an FQDN, a tool `ns:action` or the word of a server. */
  fetch(reference: string, options?: FetchOptions): Promise<Fetched | Called | Added | Opened | Approval>
  call(
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Called | Approval>
  continueWorkflow(
    answer: ContinueWorkflow,
    options?: CallOptions,
  ): Promise<Fetched | Called | Added | Opened | Approval>
  /** What still waits for an answer. */
  pending(): Promise<readonly Approval[]>
  /** Ends every server that was started. */
  close(): Promise<void>
}

export interface ClientOptions {
  /** The folder of the workspace; without it the nearest one above the working directory. */
  readonly workspace?: string | undefined
  /** A missing or different lock entry is an error, and nothing is written. Without it CI decides. */
  readonly frozen?: boolean | undefined
  readonly offline?: boolean | undefined
  readonly insecureHttp?: boolean | undefined
}

export interface PmlOptions extends ClientOptions {
  readonly registry?: string
  readonly apiKey?: string
  /** Messages for a person; stderr without it. */
  readonly tell?: (message: string) => void
  /** Variables that servers and modules may get; those of this process without it. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Content that is what it is said to be, and what the lockfile says. */
export interface Fetched {
  readonly approvalRequired: false
  readonly fqdn: Fqdn
  readonly name: Name
  readonly type: LockedType
  readonly routing: Routing
  readonly integrity: Integrity
  readonly fetchedAt: string
  /** Whether the lockfile already had it. */
  readonly lock: 'same' | 'added' | 'updated'
  /** The code, or the RFC 8785 form of the document. */
  readonly bytes: Uint8Array
}

/** What a tool answered. */
export interface Called {
  readonly approvalRequired: false
  readonly tool: string
  readonly fqdn: string
  /** What a module returned; of a server's answer the structured part, or else its text. */
  readonly result: unknown
  /** All that a server answered, as MCP writes it. */
  readonly content?: readonly unknown[]
}

/** An entry that was added on the way. */
export interface Added {
  readonly approvalRequired: false
  readonly fqdn: string
  readonly type: string
  readonly rule: string
}

/** An answer that was given, without what it was about being done. */
export interface Answered {
  readonly approvalRequired: false
  readonly workflowId: string
  readonly approvalType: Approval['approvalType']
  readonly fqdn: string
  /** Until when a yes to one call can be used. */
  readonly expiresAt?: string
  /** What comes of it, in words. */
  readonly next: string
}

/** A server of this machine that is what is locked. */
export interface Opened extends Partial<HealthReport> {
  readonly approvalRequired: false
  readonly server: string
  readonly fqdn: string
  readonly lock: 'same' | 'added' | 'updated'
}

/** What was found when a server was started and asked whether it answers. */
export interface HealthReport {
  readonly status: 'ready' | 'degraded' | 'offline'
  /** Why it is not ready. */
  readonly reason: string
  readonly handshakeMs: number
  readonly pingMs: number
  readonly protocolVersion: string | undefined
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined
  readonly capabilities: readonly string[]
  readonly tools: readonly string[]
  /** What its file declares and it does not have. */
  readonly missing: readonly string[]
}

export interface ContinueWorkflow {
  readonly workflowId: string
  readonly approved: boolean
  /** For `tool_permission`: from now on without asking, for this very tool. */
  readonly always?: boolean
  /**
   * The name of the program whose own dialog showed the question to a person. Without it the answer comes from the terminal of
   * this process, which must be a person's own.
   */
  readonly dialog?: string
}
