import type { Fqdn, Integrity, LockedType, Name, Routing } from '@pml/core/types'
import type { Approval } from './approval.ts'

/** The types of the library, in a file without other imports, so that compilers of users read little. */

export interface CallOptions {
  readonly timeoutMs?: number
  readonly memoryMb?: number
  readonly signal?: AbortSignal
}

export interface FetchOptions {
  /** The answer to a prompt of an earlier fetch. */
  readonly continueWorkflow?: ContinueWorkflow
}

/** A workspace and its registry. */
export interface Pml {
  readonly workspace: string
  /** Fetches and verifies a name, an FQDN, a tool `ns:action` or the short name of a server. */
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
  /** The open prompts. */
  pending(): Promise<readonly Approval[]>
  /** Ends all servers that were started. */
  close(): Promise<void>
}

export interface ClientOptions {
  /** The folder of the workspace; by default the nearest one above the working directory. */
  readonly workspace?: string | undefined
  /** A missing or different lock entry is an error, and nothing is written. By default on if CI is "true". */
  readonly frozen?: boolean | undefined
  readonly offline?: boolean | undefined
  readonly insecureHttp?: boolean | undefined
}

export interface PmlOptions extends ClientOptions {
  readonly registry?: string
  readonly apiKey?: string
  /** Prints messages for a person; by default to stderr. */
  readonly tell?: (message: string) => void
  /** The environment for servers and modules; by default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Content that was verified and matches the lockfile. */
export interface Fetched {
  readonly approvalRequired: false
  readonly fqdn: Fqdn
  readonly name: Name
  readonly type: LockedType
  readonly routing: Routing
  readonly integrity: Integrity
  readonly fetchedAt: string
  /** What happened to the lock entry. */
  readonly lock: 'same' | 'added' | 'updated'
  /** The code, or the RFC 8785 form of the document. */
  readonly bytes: Uint8Array
}

/** The result of a tool. */
export interface Called {
  readonly approvalRequired: false
  readonly tool: string
  readonly fqdn: string
  /** The return value of a module; the structured content of a server's result, else its text. */
  readonly result: unknown
  /** The content of a server's result, in the format of MCP. */
  readonly content?: readonly unknown[]
}

/** An entry that was added for an agent. */
export interface Added {
  readonly approvalRequired: false
  readonly fqdn: string
  readonly type: string
  readonly rule: string
}

/** A stored answer; the operation was not resumed. */
export interface Answered {
  readonly approvalRequired: false
  readonly workflowId: string
  readonly approvalType: Approval['approvalType']
  readonly fqdn: string
  /** When a yes to one call expires. */
  readonly expiresAt?: string
  /** What happens next, in words. */
  readonly next: string
}

/** A started server that matches its lock entry. */
export interface Opened extends Partial<HealthReport> {
  readonly approvalRequired: false
  readonly server: string
  readonly fqdn: string
  readonly lock: 'same' | 'added' | 'updated'
}

/** The result of starting and pinging a server. */
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
  /** Declared tools and capabilities that it lacks. */
  readonly missing: readonly string[]
}

export interface ContinueWorkflow {
  readonly workflowId: string
  readonly approved: boolean
  /** For `tool_permission`: allows this tool from now on. */
  readonly always?: boolean
  /**
   * The name of the program whose dialog showed the prompt to a person. By default the answer comes from the terminal of this
   * process, which must be a person's own.
   */
  readonly dialog?: string
}
